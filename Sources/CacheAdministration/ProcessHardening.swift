internal import Sealing

/// What a program does that holds tokens or passphrases, so that a crash leaves nothing of them behind.
public enum ProcessHardening {
    /// Makes this process leave no core dump and no crash backtrace, and refuse to be traced by others of the user.
    ///
    /// Call it first thing in `main`: it changes the whole process, so no library does it unasked. A crash then ends the process
    /// without the report of the Swift runtime, which would print memory around every register, and with it pieces of tokens.
    ///
    /// - Returns: whether all of it took effect.
    @discardableResult
    public static func apply() -> Bool { Hardening.apply() }
}
