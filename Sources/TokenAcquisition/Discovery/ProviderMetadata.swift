// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// A server's metadata (OpenID Connect Discovery), checked against its authority. Every URL is on a host that the
/// authority accepts.
struct ProviderMetadata: Hashable, Sendable {
    let issuer: String
    let tokenEndpoint: String
    let authorizationEndpoint: String?
    let deviceAuthorizationEndpoint: String?
    let revocationEndpoint: String?
    let endSessionEndpoint: String?
    /// Nil if the server does not list them.
    let scopes: [String]?
    let responseModes: [String]
    let codeChallengeMethods: [String]?
    /// Whether the server includes its issuer in authorization responses (RFC 9207).
    let namesIssuerInResponses: Bool
    /// Whether the server accepts only authorization requests that were pushed to it before (RFC 9126).
    let requiresPushedRequests: Bool

    /// The maximum number of list elements that are read.
    private static let maximumListCount = 256

    /// Reads and checks the metadata of an authority.
    ///
    /// - Throws: `issuerRejected` for another issuer; `authorityRejected` for an endpoint on another host;
    ///   `responseRejected` if the issuer or the token endpoint is missing.
    init(_ json: JSONValue, of authority: Authority, aliases: [String]) throws(AcquisitionError) {
        guard let issuer = json["issuer"]?.text?.string else {
            throw AcquisitionError(.responseRejected, detail: "metadata: it names no issuer")
        }
        guard authority.accepts(issuer: issuer, aliases: aliases) else {
            throw AcquisitionError(.issuerRejected, detail: "metadata: \(AcquisitionError.shown(issuer: issuer))")
        }
        func endpoint(_ name: UTF8Text) throws(AcquisitionError) -> String? {
            guard let value = json[name] else { return nil }
            guard let text = value.text?.string, let address = try? WebAddress(text) else {
                throw AcquisitionError(.authorityRejected, detail: "metadata: \(name) is not an acceptable URL")
            }
            guard authority.accepts(endpoint: address, aliases: aliases) else {
                throw AcquisitionError(.authorityRejected, detail: "metadata: \(name) is on another host")
            }
            return address.text
        }
        func texts(_ name: UTF8Text) -> [String]? {
            json[name].map { $0.elements.prefix(Self.maximumListCount).compactMap { $0.text?.string } }
        }
        guard let tokenEndpoint = try endpoint("token_endpoint") else {
            throw AcquisitionError(.responseRejected, detail: "metadata: it names no token endpoint")
        }
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        authorizationEndpoint = try endpoint("authorization_endpoint")
        deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
        revocationEndpoint = try endpoint("revocation_endpoint")
        endSessionEndpoint = try endpoint("end_session_endpoint")
        scopes = texts("scopes_supported")
        responseModes = texts("response_modes_supported") ?? []
        codeChallengeMethods = texts("code_challenge_methods_supported")
        namesIssuerInResponses = json["authorization_response_iss_parameter_supported"]?.boolean ?? false
        requiresPushedRequests = json["require_pushed_authorization_requests"]?.boolean ?? false
    }

    /// Whether every endpoint is below the authority's own path.
    func isWithin(_ authority: Authority) -> Bool {
        let endpoints = [
            tokenEndpoint, authorizationEndpoint, deviceAuthorizationEndpoint, revocationEndpoint, endSessionEndpoint,
        ]
        return endpoints.allSatisfy { text in
            guard let text else { return true }
            return (try? WebAddress(text)).map(authority.isAbove) ?? false
        }
    }

    /// A document of only those members that are read.
    var json: JSONValue {
        func text(_ name: UTF8Text, _ value: String?) -> JSONValue.Member? {
            value.map { JSONValue.Member(name: name, value: .string(UTF8Text($0))) }
        }
        func list(_ name: UTF8Text, _ values: [String]?) -> JSONValue.Member? {
            values.map { JSONValue.Member(name: name, value: .array($0.map { .string(UTF8Text($0)) })) }
        }
        func flag(_ name: UTF8Text, _ value: Bool) -> JSONValue.Member? {
            JSONValue.Member(name: name, value: .boolean(value))
        }
        let members = [
            text("issuer", issuer), text("token_endpoint", tokenEndpoint),
            text("authorization_endpoint", authorizationEndpoint),
            text("device_authorization_endpoint", deviceAuthorizationEndpoint),
            text("revocation_endpoint", revocationEndpoint), text("end_session_endpoint", endSessionEndpoint),
            list("scopes_supported", scopes), list("response_modes_supported", responseModes),
            list("code_challenge_methods_supported", codeChallengeMethods),
            flag("authorization_response_iss_parameter_supported", namesIssuerInResponses),
            flag("require_pushed_authorization_requests", requiresPushedRequests),
        ]
        return .object(members.compactMap { $0 })
    }
}
