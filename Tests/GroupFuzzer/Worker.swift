// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs one case after the other in this process. Where a case ends it, whoever started it knows by a file which case that
/// was, and what was being done.
struct Worker {
    private let options: Options
    private let scene = Scene()
    private let status: Int32

    init(_ options: Options, status path: String) {
        self.options = options
        status = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        // The one signal that has a number of its own for a limit on the length of files.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Prints each finding as a line of its number, its kind and its sentence.
    func run() throws {
        defer { Disk.remove(scene.folder) }
        note(options.seed, "templates")
        var keyring = options.kind == .keyring ? try KeyringTrials(scene, note: { _ in }) : nil
        let templates = options.kind == .keyring ? Templates() : try Templates(in: scene)
        for number in 0..<options.count {
            let seed = options.seed &+ UInt64(number)
            let shown = Shown()
            let note = { (step: String) in
                if step.hasPrefix(Trial.shownMark) { shown.sentence = step }
                self.note(seed, step, shown.text)
            }
            var text = ""
            var finding: Finding?
            switch options.kind {
            case .keyring:
                keyring?.note = note
                if let done = keyring?.run(seed: seed, mask: options.mask) { (text, finding) = done }
            case .library, .commands:
                var trial = Trial(scene, templates, seed: seed, mask: options.mask, note: note)
                text = trial.text
                shown.text = text
                finding = options.kind == .library ? run(&trial) : run(CommandTrial(trial: trial))
            }
            if let sentence = shown.sentence, finding == nil { finding = Finding(kind: .shown, sentence: sentence) }
            if let finding { say("\(seed) \(finding.kind): \(finding.sentence)\n  \(text)") }
        }
        note(options.seed &+ UInt64(options.count), "done")
    }

    /// What is known of a case while it runs.
    private final class Shown {
        var text = ""
        var sentence: String?
    }

    private func run(_ trial: inout Trial) -> Finding? {
        do throws(Finding) {
            try trial.run()
            return nil
        } catch {
            return error
        }
    }

    private func run(_ trial: CommandTrial) -> Finding? {
        do throws(Finding) {
            try trial.run()
            return nil
        } catch {
            return error
        }
    }

    private func note(_ seed: UInt64, _ step: String, _ text: String = "") {
        let line = Array("\(seed) \(step)\n  \(text)".utf8)
        ftruncate(status, 0)
        // SAFETY: the buffer outlives the call.
        _ = unsafe line.withUnsafeBytes { unsafe pwrite(status, $0.baseAddress, $0.count, 0) }
    }
}

/// Writes a line at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
