// SPDX-License-Identifier: Apache-2.0

/// Keeps secrets out of core dumps and crash reports.
package enum Hardening {
    /// Signals for which the Swift runtime's crash handler prints registers and 16 bytes of memory around each.
    package static let fatalSignals = Syscalls.fatalSignals

    /// Disables core dumps and crash backtraces of this process, and stops other processes of the user from tracing it.
    ///
    /// Call it first thing in `main`, and only from a program: it changes the whole process, which is why the library
    /// never calls it on its own. Until it has run, the process is as open as any other. Afterwards a crash ends the
    /// process without the Swift runtime's report, which prints the memory around every register and could contain
    /// pieces of tokens.
    ///
    /// - Returns: whether every measure took effect.
    @discardableResult
    package static func apply() -> Bool {
        for signal in fatalSignals { Syscalls.restoreDefaultAction(ofSignal: signal) }
        let leavesNoCoreFile = Syscalls.disallowCoreFiles()
        let isUndumpable = Syscalls.disallowDumpsAndTracing()
        return leavesNoCoreFile && isUndumpable
    }
}
