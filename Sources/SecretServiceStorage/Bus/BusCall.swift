// SPDX-License-Identifier: Apache-2.0

internal import CSecretService

/// A call whose answer is still pending, so that the client can send other calls and read earlier answers meanwhile.
/// Confined to the thread of its client. Releasing it without waiting cancels the call.
@safe final class BusCall {
    // SAFETY: `nil` once it was waited for. The context of the thread that it is confined to outlives it.
    private var pointer: OpaquePointer?
    private let context: OpaquePointer?

    @unsafe init(_ pointer: OpaquePointer, context: OpaquePointer?) {
        unsafe self.pointer = pointer
        unsafe self.context = context
    }

    deinit {
        if let pointer = unsafe pointer { unsafe secret_call_abandon(pointer) }
    }

    /// Waits for the answer. Call it once.
    func answer() throws(BusError) -> BusValue {
        guard let pointer = unsafe pointer else { throw .other }
        unsafe self.pointer = nil
        var error: OpaquePointer?
        guard let answer = unsafe secret_call_wait(pointer, context, &error) else {
            throw unsafe BusError(consuming: &error)
        }
        return unsafe BusValue(owning: answer)
    }
}
