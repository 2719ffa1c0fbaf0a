// SPDX-License-Identifier: Apache-2.0

internal import CSecretService
internal import RecordStorage

/// A private connection to the session bus. Confined to the thread of its client.
@safe final class BusConnection {
    // SAFETY: owns one reference to the connection, and the context of the thread that it is confined to outlives it.
    private let pointer: OpaquePointer
    private let context: OpaquePointer?

    @unsafe private init(_ pointer: OpaquePointer, context: OpaquePointer?) {
        unsafe self.pointer = pointer
        unsafe self.context = context
    }

    deinit {
        unsafe secret_connection_close(pointer)
        unsafe secret_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// Connects to the bus at `address`.
    static func open(_ address: String, _ limits: CallLimits) throws(BusError) -> BusConnection {
        let connection = try unsafe Self.check { unsafe secret_connect(address, limits.cancellable, $0) }
        return unsafe BusConnection(connection, context: limits.context)
    }

    var isClosed: Bool { unsafe secret_connection_is_closed(pointer) }

    /// Calls a method and waits for its answer, which must have the type `answer`.
    func call(
        _ method: BusMethod,
        at path: String,
        of name: String,
        arguments: [BusValue] = [],
        answer: String,
        limits: CallLimits
    ) throws(BusError) -> BusValue {
        let tuple = BusValue.tuple(arguments)
        return try unsafe BusValue(
            owning: Self.check {
                unsafe secret_call(
                    pointer,
                    name,
                    path,
                    method.interface,
                    method.name,
                    tuple.pointer,
                    answer,
                    limits.milliseconds,
                    limits.cancellable,
                    $0
                )
            }
        )
    }

    /// Sends a call without waiting for its answer.
    func send(
        _ method: BusMethod,
        at path: String,
        of name: String,
        arguments: [BusValue],
        answer: String,
        limits: CallLimits
    ) throws(BusError) -> BusCall {
        let tuple = BusValue.tuple(arguments)
        let call = unsafe secret_call_send(
            pointer,
            name,
            path,
            method.interface,
            method.name,
            tuple.pointer,
            answer,
            limits.milliseconds,
            limits.cancellable
        )
        guard let call = unsafe call else { throw .other }
        return unsafe BusCall(call, context: limits.context)
    }

    /// Shows a prompt of `owner` and waits at most `milliseconds` for it to end.
    func follow(
        _ prompt: String,
        of owner: String,
        milliseconds: Int32,
        _ limits: CallLimits
    ) throws(BusError) -> (end: PromptEnd, result: BusValue?) {
        var error: OpaquePointer?
        var result: OpaquePointer?
        let end = unsafe secret_prompt_follow(
            pointer,
            context,
            owner,
            prompt,
            milliseconds,
            limits.cancellable,
            &result,
            &error
        )
        let value = unsafe result.map { unsafe BusValue(owning: $0) }
        switch end {
        case SecretPromptCompleted: return (.completed, value)
        case SecretPromptDismissed: return (.dismissed, value)
        case SecretPromptWithdrawn: return (.withdrawn, value)
        case SecretPromptPending: return (.pending, value)
        case SecretPromptLost: throw .disconnected
        default: throw unsafe BusError(consuming: &error)
        }
    }

    /// Opens a session with the service whose unique bus name is `owner`.
    func openSession(with owner: String, _ limits: CallLimits) throws(BusError) -> SecretSession {
        unsafe SecretSession(
            owning: try Self.check { unsafe secret_session_open(pointer, owner, limits.cancellable, $0) }
        )
    }

    /// Returns the result of a GLib call, or throws its error.
    @unsafe private static func check(
        _ body: (UnsafeMutablePointer<OpaquePointer?>) -> OpaquePointer?
    ) throws(BusError) -> OpaquePointer {
        var error: OpaquePointer?
        if let result = unsafe body(&error) { return unsafe result }
        throw unsafe BusError(consuming: &error)
    }
}

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

/// How a prompt ended.
enum PromptEnd {
    case completed, dismissed
    /// The user did not answer in time, and the prompt reported its dismissal: the service made no change.
    case withdrawn
    /// The user did not answer in time, and the prompt did not confirm its dismissal.
    case pending
}

/// A method of an interface.
struct BusMethod {
    let interface: String
    let name: String
}
