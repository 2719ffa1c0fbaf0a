// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Shows on a terminal that work whose steps nobody counts goes on, and since when: nothing within the first second, then a line
/// that changes every second.
public final class ElapsedTimeLine: Sendable {
    private enum State {
        case hidden
        case shown
        case over
    }

    private let title: String
    private let state = Mutex(State.hidden)

    private init(_ title: String) {
        self.title = title
    }

    /// Works, and shows meanwhile how long that takes.
    ///
    /// - Parameters:
    ///   - title: the activity, such as "Compacting".
    ///   - console: where to show it.
    ///   - work: what takes time. It should print nothing.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws.
    @discardableResult
    public static func show<Result, Failure>(
        _ title: String,
        on console: Console,
        during work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard console.errors.isTerminal, !console.isQuiet else { return try work() }
        console.flush()
        let line = ElapsedTimeLine(title)
        BackgroundThread.start { line.run() }
        defer { line.finish() }
        return try work()
    }

    private func run() {
        var seconds = 0
        repeat {
            sleep(1)
            seconds += 1
        } while write(seconds)
    }

    /// - Returns: false if the work is over.
    private func write(_ seconds: Int) -> Bool {
        state.withLock { state in
            if case .over = state { return false }
            state = .shown
            write("\r\(title): \(seconds) s\u{1B}[K")
            return true
        }
    }

    private func finish() {
        state.withLock { state in
            if case .shown = state { write("\r\u{1B}[K") }
            state = .over
        }
    }

    private func write(_ text: String) {
        let errors = OutputStream(descriptor: 2)
        errors.write(text)
        errors.flush()
    }
}
