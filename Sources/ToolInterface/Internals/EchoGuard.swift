// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The state that a signal handler needs to restore a terminal with echo off.
// SAFETY: the main thread writes it before the handlers are installed and after they are removed; handlers only read.
@safe final class EchoGuard: @unchecked Sendable {
    static let shared = EchoGuard()

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    private var descriptor: Int32 = -1
    private var loud = termios()
    private var quiet = termios()
    private var previous: [(number: Int32, action: sigaction)] = []

    private init() {}

    /// Turns echo off, and on again before any signal that ends or suspends the program.
    func arm(descriptor: Int32, loud: termios, quiet: termios) {
        self.descriptor = descriptor
        self.loud = loud
        self.quiet = quiet
        for number in Self.signals {
            var old = sigaction()
            guard unsafe sigaction(number, nil, &old) == 0 else { continue }
            // A signal that the parent process chose to ignore stays ignored.
            if Self.isIgnored(old) { continue }
            install(number)
            previous.append((number, old))
        }
        // Characters typed ahead were echoed, so they are discarded.
        apply(quiet, TCSAFLUSH)
    }

    /// Turns echo on again, and restores the previous signal handlers.
    func disarm() {
        apply(loud)
        for entry in previous {
            var action = entry.action
            _ = unsafe sigaction(entry.number, &action, nil)
        }
        previous.removeAll()
        descriptor = -1
    }

    /// Turns echo on again if it is off, before the program ends in another way.
    func restoreEcho() { apply(loud) }

    private func install(_ number: Int32) {
        var action = sigaction()
        // Only once: the handler raises the signal again, which then has its default effect.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND) | UInt32(SA_NODEFER))
        unsafe action.__sigaction_handler.sa_handler = { EchoGuard.shared.handle($0) }
        _ = unsafe sigaction(number, &action, nil)
    }

    /// Calls only functions that are safe in signal handlers: `tcsetattr`, `sigaction`, `raise`.
    private func handle(_ number: Int32) {
        apply(loud)
        _ = raise(number)
        // Execution continues here if the program was suspended and resumed.
        install(number)
        apply(quiet)
    }

    private func apply(_ settings: termios, _ when: Int32 = TCSADRAIN) {
        guard descriptor >= 0 else { return }
        var settings = settings
        _ = unsafe tcsetattr(descriptor, when, &settings)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(
                SIG_IGN,
                to: Int.self
            )
    }
}

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
        // SAFETY: the call fills a local value that lives until it returns.
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { return try body() }
        var quiet = settings
        quiet.c_lflag &= ~tcflag_t(ECHO)
        quiet.c_lflag |= tcflag_t(ECHONL)
        EchoGuard.shared.arm(descriptor: descriptor, loud: settings, quiet: quiet)
        defer { EchoGuard.shared.disarm() }
        return try body()
    }
}
