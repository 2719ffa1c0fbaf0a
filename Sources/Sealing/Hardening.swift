// SPDX-License-Identifier: Apache-2.0

/// Keeps secrets out of core dumps and crash reports.
package enum Hardening {
    /// Signals on which the Swift runtime's crash handler prints the registers and 16 bytes of memory around each
    /// address in them.
    package static let fatalSignals = Syscalls.fatalSignals

    /// Disables core dumps and crash backtraces of this process, excludes its memory from core files that a debugger
    /// writes, and prevents other processes of the user from tracing it.
    ///
    /// Call it at the very start of `main`, because the process is unprotected until then. Only a program may call it,
    /// not a library, because it affects the whole process. Afterwards a crash ends the process without the Swift
    /// runtime's report, which prints the memory around every register and so could contain parts of tokens.
    ///
    /// - Returns: whether every measure took effect.
    @discardableResult
    package static func apply() -> Bool {
        for signal in fatalSignals { Syscalls.restoreDefaultAction(ofSignal: signal) }
        let leavesNoCoreFile = Syscalls.disallowCoreFiles()
        // Requests and responses of the network are in memory that is not secret. Before the next call, which takes away
        // the right to write there.
        let excludesMemory = Syscalls.excludeMemoryFromCoreFiles()
        let isUndumpable = Syscalls.disallowDumpsAndTracing()
        return leavesNoCoreFile && excludesMemory && isUndumpable
    }
}
