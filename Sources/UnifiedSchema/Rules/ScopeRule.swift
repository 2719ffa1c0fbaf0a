// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Which scopes a request needs, and whether a token has them.
///
/// Scopes are words of a text, compared without regard to the case of A-Z. Each requested resource scope must have been
/// granted. The scopes of OpenID Connect count only if nothing else is requested: then a token matches if its scopes
/// show that it came from a sign-in, or if it is valid for no resource. Slashes are never collapsed, and `/.default` is
/// a scope like any other.
package enum ScopeRule {
    /// The scope that replaces a request for only ``OpenIDScope/offlineAccess`` in comparisons.
    package static let placeholder: UTF8Text = "openid"

    /// Whether a token with the scopes `granted`, as the server wrote them, satisfies a request for `wanted`: resource
    /// scopes, folded, each followed by a space. An empty request is never satisfied.
    package static func areGranted(_ wanted: RawSpan, in granted: RawSpan) -> Bool {
        if wanted.isEmpty { return false }
        // Usually the request names the first granted scopes in the same order.
        if granted.begins(withFolded: wanted.extracting(0..<wanted.byteCount &- 1)) { return true }
        // Otherwise each next scope usually follows the previous one.
        var next = 0
        return wanted.allWords { scope in
            guard let end = granted.endOfFirst(folded: scope, from: next) ?? granted.endOfFirst(folded: scope, from: 0)
            else { return false }
            next = end
            return true
        }
    }

    /// Whether a token with the scopes `granted` satisfies a request for only OpenID scopes: they show that it came
    /// from a sign-in, or it is valid for no resource. A token without scopes never does.
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

    /// Whether there are scopes, folded and each followed by a space, and all begin with a resource's name, folded, and
    /// a slash. Trailing slashes of the name are ignored.
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

/// The scopes of OpenID Connect, which determine the form of the response and not the resource. Servers echo only some
/// of them.
package enum OpenIDScope: Hashable, Sendable, CaseIterable {
    /// A granted scope that shows that a token came from a sign-in, whatever else it is valid for.
    case openid, profile, email
    case address, phone
    /// Requests a refresh token. No server echoes it, so it is never compared.
    case offlineAccess

    /// The OpenID scope that a word spells, in any case; nil for a resource scope.
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
    /// Whether a token with these scopes replaces one with `other`: they share a resource scope, or neither has one and
    /// they share an OpenID scope.
    package func intersects(_ other: ScopeSet) -> Bool {
        // A renewal obtains the requested scopes in the same spelling.
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
        return compared.isEmpty && !openID.isEmpty ? [ScopeRule.placeholder] : compared
    }
}
