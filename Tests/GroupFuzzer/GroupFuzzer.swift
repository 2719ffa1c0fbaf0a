// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Changes the files of groups at random, as a broken disk, a restored backup or an attacker would, and gives what comes of
/// it to the library and to every command of cachetool.
///
///     group-fuzzer [--cases N] [--commands N] [--keyring N] [--seconds N] [--seed S] [--jobs N] [--failures N]
///
/// With `--seconds` it makes as many of the cases as it gets to in that time, for each of the three kinds.
///
/// Case number i follows from seed S + i, so `--cases 1 --seed <S + i>` makes the same mutations at the same places again;
/// the keys of the groups are new in each run. A case begins with a group in one state of its life, of which one to three
/// things are changed: bytes, lengths, numbers at their extremes, lines of the state file, whole files of other groups,
/// other states and attackers. Checksums are made anew, and what is sealed is sealed again with the keys of the group.
///
/// Whatever was done, no call may end the process, show a secret, lose an acknowledged save or what verified before, take
/// another group's tokens for this one's, or touch the group beside it.
@main
enum GroupFuzzer {
    static func main() {
        let options = Options(CommandLine.arguments.dropFirst())
        guard let status = options.status else { return supervise(options) }
        do {
            try Worker(options, status: status).run()
        } catch {
            say("\(options.seed) ended: no groups to begin with: \(error)")
            exit(3)
        }
    }

    private static func supervise(_ options: Options) {
        var environment = ProcessInfo.processInfo.environment
        // Nobody's own keyring.
        environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        environment["XDG_RUNTIME_DIR"] = nil
        var findings: [String] = []
        for (kind, count) in [
            (TrialKind.library, options.cases), (.commands, options.commands), (.keyring, options.keyring),
        ]
        where count > 0 {
            let start = ContinuousClock.now
            let run = Supervisor(options, kind, count: count, environment: environment).run()
            let seconds = (ContinuousClock.now - start).components.seconds
            say("\(kind): \(run.cases) cases from seed \(options.seed), \(run.findings.count) findings, \(seconds) s")
            findings += run.findings
        }
        exit(findings.isEmpty ? 0 : 1)
    }
}
