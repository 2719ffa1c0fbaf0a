// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import Foundation

/// Something that a test waited for did not come: a deadlock, as a rule.
package struct WaitedTooLong: Error, CustomStringConvertible {
    package let description: String
}

extension DispatchSemaphore {
    /// Waits for a signal, and fails where none comes: no test waits for ever.
    package func waitForSignal(
        within limit: DispatchTimeInterval = .seconds(60),
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        guard wait(timeout: .now() + limit) == .success else {
            throw WaitedTooLong(description: "no signal came to \(fileID):\(line)")
        }
    }
}

extension Process {
    /// Waits for the end of the program, and kills it where that does not come.
    package func waitUntilExit(within limit: Duration) throws {
        let end = ContinuousClock.now + limit
        while isRunning, ContinuousClock.now < end { usleep(500) }
        guard isRunning else { return waitUntilExit() }
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
        throw WaitedTooLong(description: "\(executableURL?.path ?? "a program") did not end within \(limit)")
    }
}

/// Waits until something is so, and fails where it does not become so.
package func waitUntil(
    _ what: String,
    within limit: Duration = .seconds(60),
    _ condition: () throws -> Bool
) throws {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else { throw WaitedTooLong(description: "waited in vain until \(what)") }
        usleep(1_000)
    }
}

/// The same in a task. By default it waits for minutes, because what it waits for may need a thread of the pool, and tests
/// beside it may hold all of them.
package func untilTrue(
    _ what: String,
    within limit: Duration = .seconds(300),
    _ condition: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else { throw WaitedTooLong(description: "waited in vain until \(what)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}
