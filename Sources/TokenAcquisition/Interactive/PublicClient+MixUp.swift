// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import TokenCaching

/// Protection against the mix-up of two servers (RFC 9700, section 4.4): a server that sends the browser on to another one
/// receives the code that the other one issued, because the client believes that it came from the first.
///
/// A server that names itself in its responses (RFC 9207) cannot be mixed up, nor can one with a redirect URI of its own
/// (RFC 8252, section 8.10). Between the others the user decides, once for each.
extension PublicClient {
    /// Checks that the response of this server cannot be another server's.
    ///
    /// - Throws: `issuerNotAllowed` if users signed in elsewhere with the same redirect URI, and the application does not
    ///   allow this issuer; `cacheFailed`.
    func requireAllowedIssuer(_ endpoint: TokenEndpoint, redirectURI: String) async throws(AcquisitionError) {
        guard !endpoint.metadata.namesIssuerInResponses else { return }
        let issuer = endpoint.authority.identityInResponses(endpoint.metadata)
        let known = try await usingCache(try await cache.issuers(redirectURI: Self.comparable(redirectURI)))
        let isAllowed = configuration.allowedIssuers.contains { $0 == issuer || $0 == endpoint.metadata.issuer }
        guard let other = known.first(where: { $0 != issuer }), !known.contains(issuer), !isAllowed else { return }
        throw AcquisitionError(
            .issuerNotAllowed,
            detail: "users signed in at \(other) before, with the same redirect URI"
        )
    }

    /// Records the sign-in, for ``requireAllowedIssuer(_:redirectURI:)``. If that fails, the user is asked once more.
    func noteSignIn(_ endpoint: TokenEndpoint, redirectURI: String) async {
        guard !endpoint.metadata.namesIssuerInResponses else { return }
        let issuer = endpoint.authority.identityInResponses(endpoint.metadata)
        try? await cache.noteSignIn(at: issuer, redirectURI: Self.comparable(redirectURI))
    }

    /// A redirect URI without what servers ignore of one on this machine: any port is accepted (RFC 8252, section 7.3), and
    /// an empty path is a slash.
    private static func comparable(_ redirectURI: String) -> String {
        guard let address = try? WebAddress(redirectURI), address.scheme == "http" else { return redirectURI }
        return "http://\(address.host)\(address.path == "/" ? "" : address.path)"
    }
}

extension Authority {
    /// The server as far as mix-ups are concerned: the authorities of one Microsoft cloud are one server.
    fileprivate func identityInResponses(_ metadata: ProviderMetadata) -> String {
        kind == .entra ? "https://\(environment)" : metadata.issuer
    }
}

extension ClientConfiguration {
    /// The redirect URI to register at an authority: ``redirectURI`` or the one of its kind, with a path for the issuer if
    /// ``redirectPath`` is ``RedirectPath/perIssuer``.
    ///
    /// - Parameter authority: the authority.
    /// - Returns: the URI.
    public func redirectURI(at authority: Authority) -> String {
        let isMicrosoft = authority.kind.isMicrosoft || authority.kind == .adfs
        let uri = redirectURI ?? (isMicrosoft ? "http://localhost" : "http://127.0.0.1")
        guard redirectPath == .perIssuer else { return uri }
        let hash = Base64URL.encode(Array(SHA256Digest.of(authority.url.rawSpan).prefix(12)))
        return uri + (uri.hasSuffix("/") ? "" : "/") + hash
    }
}
