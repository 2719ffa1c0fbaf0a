// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// A server's metadata (OpenID Connect Discovery, RFC 8414), checked against its authority. Every URL is on a host that
/// the authority accepts.
struct ProviderMetadata: Hashable, Sendable {
    let issuer: String
    let tokenEndpoint: String
    private let endpoints: [OptionalEndpoint: String]
    /// Why endpoints that the metadata names are refused.
    private let refused: [OptionalEndpoint: AcquisitionError]
    /// Nil if the server does not list them.
    let scopes: [String]?
    let responseModes: [String]
    let codeChallengeMethods: [String]?
    /// How clients may authenticate at the token endpoint; nil if the server does not list that.
    private let tokenAuthenticationMethods: [String]?
    /// The same for the revocation endpoint.
    private let revocationAuthenticationMethods: [String]?
    /// Whether the server has id tokens. A server of OAuth alone names neither their algorithms nor the scope for them.
    let hasIDTokens: Bool
    /// Whether the server includes its issuer in authorization responses (RFC 9207).
    let namesIssuerInResponses: Bool
    /// Whether the server accepts only authorization requests that were pushed to it before (RFC 9126).
    let requiresPushedRequests: Bool

    /// The maximum number of list elements that are read.
    private static let maximumListCount = 256

    /// Reads and checks the metadata of an authority.
    ///
    /// - Throws: `issuerRejected` for another issuer; `authorityRejected` for a token endpoint on another host;
    ///   `responseRejected` if the issuer or the token endpoint is missing.
    init(_ json: JSONValue, of authority: Authority, aliases: [String]) throws(AcquisitionError) {
        guard let issuer = json["issuer"]?.text?.string else {
            throw AcquisitionError(.responseRejected, detail: "metadata: it names no issuer")
        }
        guard authority.accepts(issuer: issuer, aliases: aliases) else {
            throw AcquisitionError(.issuerRejected, detail: "metadata: \(AcquisitionError.shown(issuer: issuer))")
        }
        func url(_ name: UTF8Text) throws(AcquisitionError) -> String? {
            guard let value = json[name], value != .null, value.text?.isBlank != true else { return nil }
            guard let text = value.text?.string, let address = try? WebAddress(text) else {
                throw AcquisitionError(.authorityRejected, detail: "metadata: \(name) is not an acceptable URL")
            }
            guard authority.accepts(endpoint: address, aliases: aliases) else {
                let host = address.authority
                throw AcquisitionError(
                    .authorityRejected,
                    detail: "metadata: \(name) is on another host, \(host)"
                ) { if authority.oauthMetadataURL != nil { $0.endpointHost = host } }
            }
            return address.text
        }
        func texts(_ name: UTF8Text) -> [String]? {
            json[name]?.elements.prefix(Self.maximumListCount).compactMap { $0.text?.string }
        }
        guard let tokenEndpoint = try url("token_endpoint") else {
            throw AcquisitionError(.responseRejected, detail: "metadata: it names no token endpoint")
        }
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        var (endpoints, refused) = ([OptionalEndpoint: String](), [OptionalEndpoint: AcquisitionError]())
        for endpoint in OptionalEndpoint.allCases {
            do throws(AcquisitionError) {
                endpoints[endpoint] = try url(endpoint.member)
            } catch {
                refused[endpoint] = error
            }
        }
        (self.endpoints, self.refused) = (endpoints, refused)
        scopes = texts("scopes_supported")
        responseModes = texts("response_modes_supported") ?? []
        codeChallengeMethods = texts("code_challenge_methods_supported")
        tokenAuthenticationMethods = texts("token_endpoint_auth_methods_supported")
        revocationAuthenticationMethods = texts("revocation_endpoint_auth_methods_supported")
        hasIDTokens = texts("id_token_signing_alg_values_supported") != nil || scopes?.contains("openid") == true
        namesIssuerInResponses = json["authorization_response_iss_parameter_supported"]?.boolean ?? false
        requiresPushedRequests = json["require_pushed_authorization_requests"]?.boolean ?? false
    }

    /// Whether the metadata names no such endpoint.
    func lacks(_ endpoint: OptionalEndpoint) -> Bool {
        endpoints[endpoint] == nil && refused[endpoint] == nil
    }

    /// The URL of an endpoint; nil if the metadata names none.
    ///
    /// - Throws: `authorityRejected` if it is no URL, or on a host that the authority does not accept.
    func url(of endpoint: OptionalEndpoint) throws(AcquisitionError) -> String? {
        if let error = refused[endpoint] { throw error }
        return endpoints[endpoint]
    }

    /// The URL of an endpoint without which a request cannot be made.
    ///
    /// - Throws: the errors of ``url(of:)``, and `grantNotSupported` if the metadata names none.
    func requiredURL(of endpoint: OptionalEndpoint) throws(AcquisitionError) -> String {
        if let url = try url(of: endpoint) { return url }
        throw AcquisitionError(.grantNotSupported, detail: "the server's metadata names no \(endpoint.rawValue)")
    }

    /// How clients may authenticate at an endpoint; nil if the server does not list that.
    func authenticationMethods(at url: String) -> [String]? {
        guard url == endpoints[.revocation], url != tokenEndpoint else { return tokenAuthenticationMethods }
        return revocationAuthenticationMethods ?? tokenAuthenticationMethods
    }
}
