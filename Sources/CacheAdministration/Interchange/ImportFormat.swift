internal import TokenCaching

/// Whose cache a document is.
public enum ImportFormat: Hashable, Sendable, CaseIterable {
    /// The unified JSON of the MSAL libraries.
    case msal
    /// `accessTokens.json` of ADAL for Python and of the Azure CLI before 2.30: an array of tokens.
    ///
    /// They are a second source: where the group has no refresh token of its own for an account, that of ADAL can be spent
    /// for a new one. Access tokens of ADAL are never handed out, nothing of ADAL is exported or written back.
    case adal
}
