internal import CSecretService
internal import RecordStorage

/// What bounds the calls of one job: its deadline, and a means to break them off. Confined to the thread of its client.
@safe struct CallLimits {
    let deadline: Deadline
    // SAFETY: whoever makes this value keeps both alive while it is used. `nil` only where the libraries are missing.
    let cancellable: OpaquePointer?
    let context: OpaquePointer?

    @unsafe init(deadline: Deadline, cancellable: OpaquePointer?, context: OpaquePointer?) {
        self.deadline = deadline
        unsafe self.cancellable = cancellable
        unsafe self.context = context
    }

    /// Time left, at least one millisecond: GLib takes 0 and less for other things.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = deadline.remaining.components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        return Int32(clamping: max(1, min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
