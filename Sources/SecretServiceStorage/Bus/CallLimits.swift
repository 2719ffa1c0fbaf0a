// SPDX-License-Identifier: Apache-2.0

internal import CSecretService
internal import RecordStorage

/// The limits of one job's calls: the deadline and the object that cancels them. Confined to the thread of its client.
@safe struct CallLimits {
    let deadline: Deadline
    // SAFETY: the creator of this value keeps both alive while it is used. `nil` only if the libraries are missing.
    let cancellable: OpaquePointer?
    let context: OpaquePointer?

    @unsafe init(deadline: Deadline, cancellable: OpaquePointer?, context: OpaquePointer?) {
        self.deadline = deadline
        unsafe self.cancellable = cancellable
        unsafe self.context = context
    }

    /// The time left, at least one millisecond: GLib gives 0 and negative numbers other meanings.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = deadline.remaining.components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        return Int32(clamping: max(1, min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
