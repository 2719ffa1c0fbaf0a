/// Why only the person can go on, and what the server said of it.
///
/// Later versions may tell more.
public struct InteractionRequired: Sendable {
    /// Why.
    public let reason: InteractionReason

    /// What the token endpoint said, where that is why; nil where no server was asked, and where no more is known than the
    /// reason. Another process may have asked it a while ago.
    public var errorResponse: TokenErrorResponse? { response?.value }

    /// In one reference, so that a result stays small.
    private let response: KeptErrorResponse?

    init(reason: InteractionReason, errorResponse: TokenErrorResponse?) {
        self.reason = reason
        response = errorResponse.map { KeptErrorResponse($0) }
    }
}

extension InteractionRequired: CustomStringConvertible, CustomReflectable {
    /// The reason's name, such as `signedOut`; nothing of what the server said.
    public var description: String { reason.description }

    /// No children: what a server said stays out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
