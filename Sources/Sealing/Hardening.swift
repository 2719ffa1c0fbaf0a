/// Measures that keep secrets out of what a crash leaves behind.
package enum Hardening {
    /// Signals whose handler in the Swift runtime prints registers and 16 bytes of memory for each.
    package static let fatalSignals = Syscalls.fatalSignals

    /// Makes this process leave no core dump and no crash backtrace, and refuse to be traced by others of the user.
    ///
    /// For programs, first thing in `main`: it changes the whole process. A library does not do it unasked. Until it
    /// has run a process is as open as any other. A crash then ends the process without the report of the Swift
    /// runtime, which would print memory around every register, and with it pieces of tokens.
    ///
    /// - Returns: whether all of it took effect.
    @discardableResult
    package static func apply() -> Bool {
        for signal in fatalSignals { Syscalls.restoreDefaultAction(ofSignal: signal) }
        let leavesNoCoreFile = Syscalls.disallowCoreFiles()
        let isUndumpable = Syscalls.disallowDumpsAndTracing()
        return leavesNoCoreFile && isUndumpable
    }
}
