// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import TokenCaching
internal import UnifiedSchema

extension TokenEndpoint {
    /// As for ``ProviderMetadata/signInScopes(_:adding:at:)``.
    func signInScopes(_ scopes: [String]) throws(AcquisitionError) -> [String] {
        try metadata.signInScopes(scopes, adding: configuration.addedScopes, at: authority.kind)
    }

    /// The scopes to request with a refresh token, of which `granted` is known to be granted.
    ///
    /// - Returns: nil for a request without scopes, which means all that were granted (RFC 6749, section 6).
    /// - Throws: `interactionRequired` if some of the scopes were not granted.
    func renewalScopes(_ scopes: [String], granted: [String]?) throws(AcquisitionError) -> [String]? {
        if authority.kind.renewsForAnyScope {
            return metadata.adding(configuration.addedScopes, to: scopes, at: authority.kind)
        }
        guard let granted else { return nil }
        // Nothing was requested, so the server knows alone what it granted.
        if !authority.kind.namesUsers, granted == ["openid"] { return nil }
        let missing = scopes.filter { scope in !granted.contains { $0.isScope(scope) } }
        let declined = Self.compared(missing)
        guard declined.isEmpty else {
            throw AcquisitionError(
                .interactionRequired,
                detail: "the user did not grant \(declined.joined(separator: " "))"
            ) {
                $0.reason = .scopesNotGranted
                $0.declinedScopes = declined
            }
        }
        // It stands for scopes that only the server knows.
        if missing.contains(where: { $0.lowercased().hasSuffix("/.default") }) { return nil }
        let wanted = scopes + ["openid", "offline_access"]
        let asked = granted.filter { scope in wanted.contains { $0.isScope(scope) } }
        return asked.isEmpty ? nil : asked
    }

    /// The scopes whose absence from a grant matters. Servers need not echo those of OpenID Connect, and answer a request
    /// for `/.default` with the scopes that it stands for.
    static func compared(_ scopes: [String]) -> [String] {
        scopes.filter { scope in
            let scope = scope.lowercased()
            return !scope.isEmpty && OpenIDScope(scope.rawSpan) == nil && !scope.hasSuffix("/.default")
        }
    }
}

extension ProviderMetadata {
    /// The scopes to request when the user signs in: the application's, and those that the client adds for an id token and
    /// a refresh token. At a server without id tokens `openid` alone stands for none.
    ///
    /// - Throws: `requestRejected` without `openid`, unless the server has no id tokens.
    func signInScopes(_ own: [String], adding: [String], at kind: Authority.Kind) throws(AcquisitionError) -> [String] {
        guard kind.namesUsers else { return own == ["openid"] ? [] : own }
        let all = self.adding(adding, to: own, at: kind)
        guard all.contains(where: { $0.isScope("openid") }) else {
            throw AcquisitionError(
                .requestRejected,
                detail: "without the scope openid, the server does not say who signed in"
            )
        }
        return all
    }

    /// The scopes, and the configured ones, which request an id token and a refresh token. If a server lists its scopes,
    /// only those that it lists are added, because Google's rejects others. A server need not list all scopes (OpenID
    /// Connect Discovery, section 3), but without `openid` it returns no id token.
    fileprivate func adding(_ added: [String], to scopes: [String], at kind: Authority.Kind) -> [String] {
        var all = scopes
        for scope in added where !all.contains(where: { $0.isScope(scope) }) {
            let isKnown = self.scopes?.contains { $0.isScope(scope) } ?? true
            if isKnown || kind.isMicrosoft || scope.isScope("openid") { all.append(scope) }
        }
        return all
    }
}

extension String {
    /// Whether both are the same scope, which differ at most in case.
    fileprivate func isScope(_ other: String) -> Bool { lowercased() == other.lowercased() }
}
