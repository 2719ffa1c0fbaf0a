// SPDX-License-Identifier: Apache-2.0

/// The result if a server granted less than was requested, because the user or the tenant's administrator declined some
/// scopes.
///
/// Later versions may contain more.
public struct PartialGrant: Sendable {
    /// The token that the server issued. It is stored, and valid for the granted scopes.
    public let accessToken: AccessToken

    /// The scopes that were granted, as the server wrote them.
    public var grantedScopes: [String] { accessToken.scopes }

    /// The scopes that were requested and not granted, folded; computed at each access. To ask the user for them, sign
    /// in interactively.
    public var declinedScopes: [String] { accessToken.answer.terms.declinedScopes(of: accessToken) }
}

extension PartialGrant: CustomStringConvertible, CustomReflectable {
    /// The number of declined scopes; nothing about the token.
    public var description: String { "PartialGrant(\(declinedScopes.count) scopes declined)" }

    /// No children, so that neither the token nor its owner appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
