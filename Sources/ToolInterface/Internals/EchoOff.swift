// SPDX-License-Identifier: Apache-2.0

// SAFETY: the call fills a local value that lives until it returns.

import Glibc

/// Turns the echo of a terminal off while a passphrase is typed, and always on again: at the end, and before a signal
/// ends or stops the program.
enum EchoOff {
    /// Runs `body` with echo off.
    ///
    /// Call it from the main thread, one prompt at a time.
    ///
    /// - Parameters:
    ///   - descriptor: a terminal.
    ///   - body: reads what is typed.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` throws.
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
