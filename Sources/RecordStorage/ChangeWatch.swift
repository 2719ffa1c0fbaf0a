/// Sleeps until something in a group may have changed, whoever changed it. For one thread that waits; any may stop it.
package protocol ChangeWatch: AnyObject, Sendable {
    /// Whether nothing wakes it, so that it returns every 250 ms instead.
    var isPeriodic: Bool { get }

    /// Waits until something may have changed since the last call, or since the watch was made. May return for nothing.
    ///
    /// - Returns: false once the watch was stopped.
    func wait() -> Bool

    /// Lets the one who waits return, now and from now on.
    func stop()
}
