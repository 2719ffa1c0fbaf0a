internal import ByteOperations

/// Which scopes have to be granted for a request, and whether a token has them.
///
/// Scopes are words of a text, compared without regard to the case of A-Z. Each scope of a resource that is asked for
/// must have been granted. The scopes of OpenID Connect count only where nothing else is asked for: then a token serves
/// that shows that it came of a sign-in, or that is good for no resource. Slashes are never collapsed, and `/.default`
/// is a scope like others.
package enum ScopeRule {
    /// What a request that asks for ``OpenIDScope/offlineAccess`` alone is compared by.
    package static let standIn: UTF8Text = "openid"

    /// Whether a token with the scopes `granted`, as the server wrote them, serves a request for `wanted`: scopes of
    /// resources, folded, each with a space behind it. A request for nothing is served by nothing.
    package static func areGranted(_ wanted: RawSpan, in granted: RawSpan) -> Bool {
        if wanted.isEmpty { return false }
        // As a rule the first ones that were granted are asked for, in the same order.
        if granted.begins(withFolded: wanted.extracting(0..<wanted.byteCount &- 1)) { return true }
        // Else the next one stands behind the last at least.
        var next = 0
        return wanted.allWords { scope in
            guard let end = granted.endOfFirst(folded: scope, from: next) ?? granted.endOfFirst(folded: scope, from: 0)
            else { return false }
            next = end
            return true
        }
    }

    /// Whether a token with the scopes `granted` serves a request for OpenID scopes alone: whether it shows that it
    /// came of a sign-in, or is good for no resource. A token without scopes serves nothing.
    package static func servesSignIn(_ granted: RawSpan) -> Bool {
        var (isForResource, isEmpty) = (false, true)
        let showsNothing = granted.allWords { scope in
            isEmpty = false
            switch OpenIDScope(scope) {
            case .openid, .profile, .email: return false
            case .address, .phone, .offlineAccess: return true
            case nil:
                isForResource = true
                return true
            }
        }
        return !showsNothing || !isForResource && !isEmpty
    }

    /// Whether there are scopes, folded and each with a space behind it, and each begins with the name of a resource,
    /// folded, and a slash. Slashes at the end of the name do not count.
    package static func belong(_ wanted: RawSpan, to resource: RawSpan) -> Bool {
        var length = resource.byteCount
        while length > 0, resource.byte(at: length - 1) == UInt8(ascii: "/") { length -= 1 }
        guard length > 0, !wanted.isEmpty else { return false }
        let name = resource.extracting(0..<length)
        return wanted.allWords { scope in
            scope.byteCount > length && scope.byte(at: length) == UInt8(ascii: "/")
                && scope.extracting(0..<length).isEqual(to: name)
        }
    }
}

/// The scopes of OpenID Connect: they say how the answer looks, not which resource it is good for. Servers echo only
/// some.
package enum OpenIDScope: Hashable, Sendable, CaseIterable {
    /// By these a token shows that it came of a sign-in, whatever else it is good for.
    case openid, profile, email
    case address, phone
    /// Asks for a refresh token. No server echoes it, so it is never compared.
    case offlineAccess

    /// The scope that a word is, in any case; nil for a scope of a resource.
    package init?(_ scope: RawSpan) {
        switch scope.byteCount {
        case 5 where scope.folds(to: "email"): self = .email
        case 5 where scope.folds(to: "phone"): self = .phone
        case 6 where scope.folds(to: "openid"): self = .openid
        case 7 where scope.folds(to: "profile"): self = .profile
        case 7 where scope.folds(to: "address"): self = .address
        case 14 where scope.folds(to: "offline_access"): self = .offlineAccess
        default: return nil
        }
    }
}

extension ScopeSet {
    /// Whether a token with these scopes takes the place of one with `other`: whether a scope of a resource is in both,
    /// or both are good for no resource and one of the OpenID scopes is in both.
    package func intersects(_ other: ScopeSet) -> Bool {
        // A renewal brings what was asked for, spelled the same.
        if text == other.text { return !isEmpty }
        let (mine, theirs) = (members, other.members)
        if mine.ordinary.isEmpty, theirs.ordinary.isEmpty { return !mine.compared.isDisjoint(with: theirs.compared) }
        return !mine.ordinary.isDisjoint(with: theirs.ordinary)
    }
}

extension ScopeSetStorage.Members {
    /// The OpenID scopes that are compared.
    fileprivate var compared: Set<UTF8Text> {
        let compared = openID.filter { OpenIDScope($0.bytes) != .offlineAccess }
        return compared.isEmpty && !openID.isEmpty ? [ScopeRule.standIn] : compared
    }
}
