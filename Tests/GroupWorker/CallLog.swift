// SPDX-License-Identifier: Apache-2.0

import Glibc
import Histories
import Synchronization

/// What a worker asks the cache for and what comes of it, line by line in a file of its own: what was written before a kill
/// can be read after it.
final class CallLog: Sendable {
    private let descriptor: Int32
    private let last = Atomic<Int>(0)

    init(path: String) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if descriptor < 0 { giveUp("no log at \(path)") }
    }

    /// Notes that a call begins.
    ///
    /// - Returns: its number.
    func begin(_ kind: CallKind, account: Int, number: Int = 0) -> Int {
        let call = last.add(1, ordering: .relaxed).newValue
        write(.begin(call: call, time: Self.now, account: account, kind: kind, number: number))
        return call
    }

    func spend(_ call: Int, old: Int, new: Int) {
        write(.spend(call: call, time: Self.now, old: old, new: new))
    }

    func end(_ call: Int, _ result: CallResult) {
        write(.end(call: call, time: Self.now, result: result))
    }

    private func write(_ line: LogLine) {
        // In one piece: lines of several threads do not mix.
        let bytes = Array((line.text + "\n").utf8)
        // SAFETY: the buffer outlives the call.
        let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if written != bytes.count { giveUp("the log cannot be written") }
    }

    private static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
