// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Shows on a terminal that work without countable steps is in progress, and for how long: nothing within the first
/// second, then a line that changes every second. The line is hidden while the user is prompted for a passphrase.
public enum ElapsedTimeLine {
    private struct Display {
        /// The number of times that work began or ended, so that the line of finished work is not shown again.
        var turn = 0
        var isShown = false
        var isUserAsked = false

        mutating func erase() {
            if isShown { ElapsedTimeLine.write("\r\u{1B}[K") }
            isShown = false
        }
    }

    private static let display = Mutex(Display())

    /// Does some work, and shows meanwhile how long it takes.
    ///
    /// - Parameters:
    ///   - title: the activity, such as "Compacting".
    ///   - console: where to show it.
    ///   - work: the work. It should print nothing.
    /// - Returns: the result of the work.
    /// - Throws: the error of the work.
    @discardableResult
    public static func show<Result, Failure>(
        _ title: String,
        on console: Console,
        during work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard console.errors.isTerminal, !console.isQuiet else { return try work() }
        console.flush()
        let turn = nextTurn()
        BackgroundThread.start {
            var seconds = 0
            repeat {
                sleep(1)
                seconds += 1
            } while update("\(title): \(seconds) s", turn)
        }
        defer { _ = nextTurn() }
        return try work()
    }

    /// Prompts the user in the middle of the work.
    static func hidden<Result: ~Copyable>(while asking: () throws -> Result) rethrows -> Result {
        display.withLock { display in
            display.erase()
            display.isUserAsked = true
        }
        defer { display.withLock { $0.isUserAsked = false } }
        return try asking()
    }

    private static func nextTurn() -> Int {
        display.withLock { display in
            display.erase()
            display.turn += 1
            return display.turn
        }
    }

    /// - Returns: false if the work is done.
    private static func update(_ text: String, _ turn: Int) -> Bool {
        display.withLock { display in
            guard display.turn == turn else { return false }
            guard !display.isUserAsked else { return true }
            write("\r\(text)\u{1B}[K")
            display.isShown = true
            return true
        }
    }

    private static func write(_ text: String) {
        let errors = OutputStream(descriptor: 2)
        errors.write(text)
        errors.flush()
    }
}
