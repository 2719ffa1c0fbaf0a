// SPDX-License-Identifier: Apache-2.0

// SAFETY: the C strings of arguments and environment live until the call that copies them has returned; waitpid writes
// to a local variable.

internal import CLinux
internal import Glibc

/// A program that this process started and must wait for, so that it does not become a zombie.
struct ChildProcess: Sendable {
    /// How a program ended.
    enum End: Hashable, Sendable {
        case status(Int32)
        case signal
        /// Other code in this process has already waited for it.
        case unknown
    }

    /// The system's error number.
    struct SpawnError: Error {
        let number: Int32
    }

    let processID: Int32

    /// Starts a program. It inherits no descriptors, except that, if `mayWrite`, both of its outputs are the standard
    /// error of this process.
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

    /// Waits for the program to end, for at most `limit`; nil if it is still running then.
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

    /// Waits in the background until the program ends, however long it runs.
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
