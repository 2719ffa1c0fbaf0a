// SPDX-License-Identifier: Apache-2.0

import Glibc
import Histories

/// Checks what the workers of one history logged. Here and not in the tests, because it has to be a release build: it goes
/// through many possibilities.
enum HistoryReport {
    /// Reads the paths of logs, one a line, and says what cannot be, then how much there was.
    static func write() {
        var history = History()
        while let path = readLine() {
            guard let calls = [Call](log: text(of: path)) else { giveUp("not a log: \(path)") }
            history.add(calls)
        }
        let (violations, undecidedCount) = history.judge()
        for violation in violations { say("violation: \(violation)") }
        say("calls \(history.calls.count) \(history.cutOffCount) \(history.failureCount) \(undecidedCount)")
    }

    private static func text(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else { giveUp("no log at \(path)") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            // SAFETY: the buffer is as long as is said.
            let count = unsafe read(file, &piece, piece.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }
}
