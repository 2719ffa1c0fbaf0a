// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// An authorization server that signs users in, with a tenant and a policy on it.
///
/// ```swift
/// let everyone = Authority.common
/// let contoso = try Authority.entra(tenant: "contoso.onmicrosoft.com")
/// let other = try Authority.openIDConnect(issuer: "https://id.example.com/realms/staff")
/// ```
public struct Authority: Hashable, Sendable {
    /// The kind of server, which determines where its metadata is and which issuers and hosts that may name. Later
    /// versions may add kinds.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// Microsoft Entra, for work, school and personal accounts.
        case entra
        /// Azure AD B2C.
        case b2c
        /// Microsoft Entra External ID for customers.
        case ciam
        /// Active Directory Federation Services.
        case adfs
        /// Any other issuer of OpenID Connect.
        case openIDConnect
        /// A server of OAuth 2.0 that does not say who signed in, with metadata or with endpoints that the application names.
        case oauth
    }

    /// The endpoints of a server without metadata.
    public struct Endpoints: Hashable, Sendable {
        /// The token endpoint (RFC 6749, section 3.2).
        public var token: String
        /// The authorization endpoint, to which the browser goes (RFC 6749, section 3.1); nil if there is none.
        public var authorization: String?
        /// The endpoint for device codes (RFC 8628); nil if there is none.
        public var deviceAuthorization: String?
        /// The endpoint that revokes tokens (RFC 7009); nil if there is none.
        public var revocation: String?

        /// Creates endpoints.
        ///
        /// - Parameters:
        ///   - token: the token endpoint.
        ///   - authorization: the authorization endpoint; nil if there is none.
        ///   - deviceAuthorization: the endpoint for device codes; nil if there is none.
        ///   - revocation: the endpoint that revokes tokens; nil if there is none.
        public init(
            token: String,
            authorization: String? = nil,
            deviceAuthorization: String? = nil,
            revocation: String? = nil
        ) {
            self.token = token
            self.authorization = authorization
            self.deviceAuthorization = deviceAuthorization
            self.revocation = revocation
        }
    }

    /// The kind of server.
    public let kind: Kind
    /// Scheme, host and port; for other servers than Microsoft's, with the path.
    let address: WebAddress
    /// The issuer as the application wrote it, for the kind whose issuer is compared exactly.
    let issuer: String
    /// The tenant, as in the path of a request; empty if there is none.
    let tenantText: String
    /// The policy of Azure AD B2C; otherwise empty.
    let policy: String
    /// Hosts besides the issuer's that tokens may be sent to, in lower case, with their ports.
    let endpointHosts: [String]
    /// The endpoints of a server without metadata; nil for one that has metadata.
    let endpoints: Endpoints?

    init(
        _ kind: Kind,
        _ address: WebAddress,
        issuer: String = "",
        tenant: String,
        policy: String = "",
        endpointHosts: [String] = [],
        endpoints: Endpoints? = nil
    ) {
        self.kind = kind
        // The other properties hold the rest of the path, so that different spellings of an authority are equal.
        self.address =
            switch kind {
            case .entra, .ciam, .adfs: address.with(path: "")
            case .b2c: address.with(path: address.segments.first?.lowercased() == "tfp" ? "/tfp" : "")
            case .openIDConnect, .oauth: address
            }
        self.issuer = issuer
        tenantText = tenant
        self.policy = policy
        self.endpointHosts = endpointHosts
        self.endpoints = endpoints
    }

    /// The host, with the port unless it is 443: the `environment` of entries in the cache.
    public var environment: String { address.authority }

    /// The tenant: an id, a domain, or `common`, `organizations`, `consumers`; for issuers other than Microsoft's,
    /// their path. Nil if there is none.
    public var tenant: String? { tenantText.isEmpty ? nil : tenantText }

    /// The URL, in the same form for all spellings.
    public var url: String {
        switch kind {
        case .entra, .ciam, .adfs: "\(address.origin)/\(tenantText)"
        case .b2c: "\(address.origin)/\(isTrustFramework ? "tfp/" : "")\(tenantText)/\(policy)"
        case .openIDConnect, .oauth: issuer
        }
    }

    /// Whether the path begins with `tfp`, which the tenant and the policy follow.
    var isTrustFramework: Bool { kind == .b2c && !address.path.isEmpty }

    /// The word that takes the place of a tenant, such as `common`; nil for a single tenant.
    var tenantWord: TenantWord? { kind.hasTenantWords ? TenantWord(UTF8Text(tenantText)) : nil }

    /// The same server for another tenant.
    func tenant(_ tenant: String) -> Authority {
        guard kind.hasOtherTenants, !tenant.isEmpty, tenant != tenantText else { return self }
        return Authority(kind, address, issuer: issuer, tenant: tenant, policy: policy, endpointHosts: endpointHosts)
    }

    /// The URL of the metadata.
    var metadataURL: String {
        let suffix = ".well-known/openid-configuration"
        switch kind {
        case .entra, .b2c, .ciam: return "\(url)/v2.0/\(suffix)"
        case .adfs, .openIDConnect, .oauth: return url + (url.hasSuffix("/") ? "" : "/") + suffix
        }
    }

    /// The metadata that a server without any would have, from what the application names; nil if that names no endpoints.
    var namedMetadata: JSONValue? {
        guard let endpoints else { return nil }
        return .object(of: [
            "issuer": issuer, "token_endpoint": endpoints.token,
            OptionalEndpoint.authorization.member: endpoints.authorization,
            OptionalEndpoint.deviceAuthorization.member: endpoints.deviceAuthorization,
            OptionalEndpoint.revocation.member: endpoints.revocation,
        ])
    }

    /// The URL of the metadata that servers of OAuth have (RFC 8414, section 3.1); nil for Microsoft's, which have none.
    var oauthMetadataURL: String? {
        guard kind == .openIDConnect || kind == .oauth else { return nil }
        let path = address.path.hasSuffix("/") ? address.path.dropLast() : address.path[...]
        return "\(address.origin)/.well-known/oauth-authorization-server\(path)"
    }
}

extension Authority: CustomStringConvertible {
    /// The URL.
    public var description: String { url }
}

// MARK: - Constants

extension Authority {
    /// Work, school and personal accounts of the global cloud.
    public static let common = entra(word: .common)
    /// Work and school accounts of the global cloud.
    public static let organizations = entra(word: .organizations)
    /// Personal accounts.
    public static let consumers = entra(word: .consumers)

    private static func entra(word: TenantWord) -> Authority {
        Authority(.entra, WebAddress(host: NationalCloud.global.host), tenant: word.rawValue)
    }
}
