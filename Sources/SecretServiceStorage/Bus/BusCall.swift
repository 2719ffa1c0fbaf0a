// SPDX-License-Identifier: Apache-2.0

internal import CSecretService

/// A call whose answer is still pending: meanwhile other calls are sent and earlier answers read. Confined to the
/// thread of its client. Destroying it without waiting cancels the call.
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

    /// Waits for the answer, once.
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
