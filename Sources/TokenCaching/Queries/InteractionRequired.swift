// SPDX-License-Identifier: Apache-2.0

/// Why the user has to act, and what the server said about it.
///
/// Later versions may contain more.
public struct InteractionRequired: Sendable {
    /// Why the user has to act.
    public let reason: InteractionReason

    /// The token endpoint's response, if that is the reason; nil if no server was asked, or only the reason is known.
    /// Another process may have received it some time ago.
    public var errorResponse: TokenErrorResponse? { response?.value }

    /// A single reference, so that a result stays small.
    private let response: KeptErrorResponse?

    /// Creates a reason to prompt the user, as the library does: for tests of what handles it.
    public init(reason: InteractionReason, errorResponse: TokenErrorResponse? = nil) {
        self.reason = reason
        response = errorResponse.map { KeptErrorResponse($0) }
    }
}

extension InteractionRequired: CustomStringConvertible, CustomReflectable {
    /// The reason's name, such as `signedOut`; nothing of the server's response.
    public var description: String { reason.description }

    /// No children, so that the server's response does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
