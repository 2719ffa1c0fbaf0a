// SPDX-License-Identifier: Apache-2.0

internal import Sealing

/// Protects tokens and passphrases in memory from crash reports and from other processes of the user.
public enum ProcessHardening {
    /// Disables core dumps and crash backtraces of this process, and tracing by other processes of the user. A core file
    /// that root writes with a debugger has no memory of it, unless the debugger is told to ignore that.
    ///
    /// Call it first in `main`. It affects the whole process, so libraries must not call it. Afterwards a crash ends
    /// the process without the report of the Swift runtime, which prints the memory around every register, possibly
    /// with parts of tokens.
    ///
    /// - Returns: whether every measure took effect.
    @discardableResult
    public static func apply() -> Bool { Hardening.apply() }
}
