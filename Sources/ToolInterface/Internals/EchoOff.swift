// SPDX-License-Identifier: Apache-2.0

// SAFETY: the call fills a local value that lives until it returns.

import Glibc

/// Turns the echo of a terminal off while the user types a passphrase, and always on again: at the end, and before a
/// signal ends or suspends the program.
enum EchoOff {
    /// Runs `body` with echo off.
    ///
    /// Call it from the main thread, one prompt at a time.
    ///
    /// - Parameters:
    ///   - descriptor: a terminal.
    ///   - body: reads the user's input.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    static func on<Result: ~Copyable, Failure: Error>(
        _ descriptor: Int32,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { return try body() }
        var quiet = settings
        quiet.c_lflag &= ~tcflag_t(ECHO)
        quiet.c_lflag |= tcflag_t(ECHONL)
        EchoGuard.shared.arm(descriptor: descriptor, loud: settings, quiet: quiet)
        defer { EchoGuard.shared.disarm() }
        return try body()
    }
}
