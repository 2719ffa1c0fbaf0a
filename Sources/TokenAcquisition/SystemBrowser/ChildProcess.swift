// SPDX-License-Identifier: Apache-2.0

// SAFETY: the C strings of arguments and environment live until the call that copies them has returned; waitpid writes
// to a variable of this stack.

internal import CLinux
internal import Glibc

/// A program that this process started and has to wait for, so that none is left as a zombie.
struct ChildProcess: Sendable {
    /// How a program ended.
    enum End: Hashable, Sendable {
        case status(Int32)
        case signal
        /// Somebody else of this process waited for it.
        case unknown
    }

    /// The system's error number.
    struct SpawnError: Error {
        let number: Int32
    }

    let processID: Int32

    /// Starts a program. It inherits no descriptor but, for both of its outputs, the standard error of this process if
    /// `mayWrite`.
    ///
    /// - Throws: the system's error.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        mayWrite: Bool
    ) throws(SpawnError) {
        var process: Int32 = 0
        let error = unsafe Self.withStrings([program] + arguments) { arguments in
            unsafe Self.withStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                unsafe linux_spawn(program, arguments, environment, mayWrite ? STDERR_FILENO : -1, &process)
            }
        }
        guard error == 0 else { throw SpawnError(number: error) }
        processID = process
    }

    /// Waits for the end, but not longer than `limit`; nil if the program is still running then.
    func end(within limit: Duration) async -> End? {
        let deadline = ContinuousClock.now + limit
        var pause = Duration.milliseconds(10)
        while true {
            if let end = endNow() { return end }
            let remaining = ContinuousClock.now.duration(to: deadline)
            guard remaining > .zero else { return nil }
            do { try await Task.sleep(for: min(pause, remaining)) } catch { return endNow() }
            pause = min(pause * 2, .seconds(10))
        }
    }

    /// Waits in the background until the program has ended, however long it runs.
    func reap() {
        Task.detached(priority: .background) { _ = await end(within: .seconds(1 << 30)) }
    }

    private func endNow() -> End? {
        var status: Int32 = 0
        let result = unsafe waitpid(processID, &status, WNOHANG)
        if result == 0 || (result == -1 && errno == EINTR) { return nil }
        guard result == processID else { return .unknown }
        return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal
    }

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { for index in strings.indices { unsafe free(pointers[index]) } }
        return unsafe body(&pointers)
    }
}
