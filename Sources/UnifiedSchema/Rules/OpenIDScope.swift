/// The scopes of OpenID Connect: they say how the answer looks, not which resource it is good for. Servers echo only some.
package enum OpenIDScope {
    /// All of them, folded.
    package static let all: [UTF8Text] = ["openid", "profile", "email", "address", "phone", offlineAccess]

    /// Asks for a refresh token. No server echoes it, so it is never compared.
    package static let offlineAccess: UTF8Text = "offline_access"

    /// Those by which a token shows that it came of a sign-in, whatever else it is good for.
    package static let shown: [UTF8Text] = ["openid", "profile", "email"]
}

extension ScopeSet {
    /// Whether a token with these scopes serves a request for `requested`.
    ///
    /// Each scope of a resource that is asked for must have been granted. OpenID scopes count only where nothing else is
    /// asked for: then a token serves that shows that it came of a sign-in, or that is good for no resource. An empty request
    /// is served by nothing, and a token without scopes serves nothing.
    package func satisfies(_ requested: ScopeSet) -> Bool {
        if requested.isEmpty || isEmpty { return false }
        let (granted, wanted) = (members, requested.members)
        guard wanted.ordinary.isEmpty else { return wanted.ordinary.isSubset(of: granted.ordinary) }
        return granted.ordinary.isEmpty || OpenIDScope.shown.contains { granted.openID.contains($0) }
    }

    /// Whether a token with these scopes takes the place of one with `other`: whether a scope of a resource is in both, or
    /// both are good for no resource and one of the OpenID scopes is in both.
    package func intersects(_ other: ScopeSet) -> Bool {
        // A renewal brings what was asked for, spelled the same.
        if text == other.text { return !isEmpty }
        let (mine, theirs) = (members, other.members)
        if mine.ordinary.isEmpty, theirs.ordinary.isEmpty { return !mine.compared.isDisjoint(with: theirs.compared) }
        return !mine.ordinary.isDisjoint(with: theirs.ordinary)
    }
}

extension ScopeSetStorage.Members {
    /// The OpenID scopes that are compared: ``OpenIDScope/offlineAccess`` alone counts as `openid`.
    fileprivate var compared: Set<UTF8Text> {
        let compared = openID.subtracting([OpenIDScope.offlineAccess])
        return compared.isEmpty && !openID.isEmpty ? ["openid"] : compared
    }
}
