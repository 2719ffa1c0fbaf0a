// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

extension Authority {
    /// Recognizes the kind of server from the host and the path of a URL, as MSAL does.
    ///
    /// | host or path | kind |
    /// | --- | --- |
    /// | path begins with `adfs` | ``Kind/adfs`` |
    /// | `*.b2clogin.com` (or `.cn`, `.us`, `.de`), or path begins with `tfp` | ``Kind/b2c`` |
    /// | `*.ciamlogin.com` | ``Kind/ciam`` |
    /// | a sign-in host of a Microsoft cloud | ``Kind/entra`` |
    /// | any other | ``Kind/openIDConnect`` |
    ///
    /// Unlike MSAL, it does not assume that an unknown host is one of Microsoft's: for those use
    /// ``entra(tenant:host:)``.
    ///
    /// - Parameter url: an `https` URL, or `http` with a loopback host, without user information, query or fragment.
    /// - Throws: ``AcquisitionError/Code/configurationRejected``.
    public init(_ url: String) throws(AcquisitionError) {
        let address = try Authority.address(url)
        let segments = address.segments
        let first = segments.first?.lowercased()
        let domain = MicrosoftHost(of: UTF8Text(address.host))
        func segment(_ index: Int, _ name: String) throws(AcquisitionError) -> String {
            guard index < segments.count else { throw Authority.rejected("its path names no \(name)") }
            return segments[index]
        }
        if first == "adfs" {
            self.init(.adfs, address, tenant: "adfs")
        } else if first == "tfp" || domain?.issuerKind == .b2c {
            let start = first == "tfp" ? 1 : 0
            self.init(.b2c, address, tenant: try segment(start, "tenant"), policy: try segment(start + 1, "policy"))
        } else if domain == .externalID {
            let name = address.host.prefix { $0 != "." }
            self.init(.ciam, address, tenant: segments.first ?? "\(name).onmicrosoft.com")
        } else if CloudTable.builtIn.cloud(of: UTF8Text(address.host)) != nil, address.port == nil {
            self.init(.entra, address, tenant: try segment(0, "tenant"))
        } else {
            self.init(.openIDConnect, address, issuer: url, tenant: Authority.path(address))
        }
    }

    /// Microsoft Entra, for one tenant.
    ///
    /// - Parameters:
    ///   - tenant: the tenant's id or one of its domains, or `common`, `organizations`, `consumers`.
    ///   - cloud: the cloud; the global one by default.
    /// - Returns: the authority.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if `tenant` cannot be part of a URL.
    public static func entra(tenant: String, cloud: NationalCloud = .global) throws(AcquisitionError) -> Authority {
        try entra(tenant: tenant, host: cloud.host)
    }

    /// Microsoft Entra on a host that this library does not know. Before the client sends anything there, Microsoft's
    /// global service has to confirm that the host is one of Microsoft's, unless it is in
    /// ``ClientConfiguration/knownAuthorities``.
    ///
    /// - Parameters:
    ///   - tenant: the tenant's id or one of its domains, or `common`, `organizations`, `consumers`.
    ///   - host: the host, with a port unless it is 443.
    /// - Returns: the authority.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if these cannot be parts of a URL.
    public static func entra(tenant: String, host: String) throws(AcquisitionError) -> Authority {
        try Authority(.entra, address(parts: host, [tenant]), tenant: tenant)
    }

    /// Azure AD B2C: one authority for each policy.
    ///
    /// - Parameters:
    ///   - host: the host: `NAME.b2clogin.com`, or a custom domain.
    ///   - tenant: the tenant: `NAME.onmicrosoft.com`, or its id.
    ///   - policy: the user flow or custom policy, such as `b2c_1_signin`.
    /// - Returns: the authority.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if these cannot be parts of a URL.
    public static func b2c(host: String, tenant: String, policy: String) throws(AcquisitionError) -> Authority {
        try Authority(.b2c, address(parts: host, ["tfp", tenant, policy]), tenant: tenant, policy: policy)
    }

    /// Microsoft Entra External ID for customers, at `NAME.ciamlogin.com`.
    ///
    /// - Parameters:
    ///   - name: the first part of the host.
    ///   - tenant: the tenant's id or domain; nil for `NAME.onmicrosoft.com`.
    /// - Returns: the authority.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if these cannot be parts of a URL.
    public static func ciam(name: String, tenant: String? = nil) throws(AcquisitionError) -> Authority {
        let tenant = tenant ?? "\(name).onmicrosoft.com"
        return try Authority(.ciam, address(parts: "\(name).ciamlogin.com", [tenant]), tenant: tenant)
    }

    /// Active Directory Federation Services.
    ///
    /// - Parameter host: the host, with a port unless it is 443.
    /// - Returns: the authority.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if the host cannot be part of a URL.
    public static func adfs(host: String) throws(AcquisitionError) -> Authority {
        try Authority(.adfs, address(parts: host, ["adfs"]), tenant: "adfs")
    }

    /// Any issuer of OpenID Connect.
    ///
    /// - Parameters:
    ///   - issuer: the issuer exactly as it appears in its metadata and in its tokens.
    ///   - endpointHosts: other hosts that the issuer's endpoints may be on, each with its port unless it is 443. Those of
    ///     Google and of Amazon Cognito are known.
    /// - Returns: the authority.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if it is not an `https` URL, or `http` with a loopback
    ///   host, without user information, query and fragment.
    public static func openIDConnect(
        issuer: String,
        endpointHosts: [String] = []
    ) throws(AcquisitionError) -> Authority {
        var hosts: [String] = []
        for host in endpointHosts { hosts.append(try address(parts: host, []).authority) }
        return try Authority(.openIDConnect, issuer: issuer, endpointHosts: hosts)
    }

    /// A server of OAuth 2.0 that has metadata (RFC 8414), but no id tokens.
    ///
    /// Nothing says who signs in there: see ``oauth(url:endpoints:)``.
    ///
    /// - Parameters:
    ///   - issuer: the issuer exactly as it appears in its metadata.
    ///   - endpointHosts: other hosts that the issuer's endpoints may be on, each with its port unless it is 443.
    /// - Returns: the authority. Sign-ins there fail with ``AcquisitionError/Code/configurationRejected`` if the server has id
    ///   tokens.
    /// - Throws: the errors of ``openIDConnect(issuer:endpointHosts:)`` and ``oauth(url:endpoints:)``.
    public static func oauth(issuer: String, endpointHosts: [String] = []) throws(AcquisitionError) -> Authority {
        try openIDConnect(issuer: issuer, endpointHosts: endpointHosts).withoutIDTokens()
    }

    /// The same issuer, as a server that does not say who signed in.
    func withoutIDTokens() throws(AcquisitionError) -> Authority {
        try Self.requireIssuerOfAccounts(issuer)
        return try Authority(.oauth, issuer: issuer, endpointHosts: endpointHosts)
    }

    /// The same issuer, with further hosts that its endpoints may be on; Microsoft's servers unchanged.
    func with(endpointHosts hosts: [String]) throws(AcquisitionError) -> Authority {
        guard kind == .openIDConnect, !hosts.isEmpty else { return self }
        return try .openIDConnect(issuer: issuer, endpointHosts: hosts)
    }

    private init(
        _ kind: Kind,
        issuer: String,
        endpointHosts: [String],
        endpoints: Endpoints? = nil
    ) throws(AcquisitionError) {
        let place = try Authority.address(issuer)
        let tenant = Authority.path(place)
        self.init(kind, place, issuer: issuer, tenant: tenant, endpointHosts: endpointHosts, endpoints: endpoints)
    }

    private static func requireIssuerOfAccounts(_ url: String) throws(AcquisitionError) {
        guard HomeAccountID.issuer(of: HomeAccountID.joined("user", UTF8Text(url))) != nil else {
            throw rejected("it is Microsoft's, too long, or has a scheme in capitals, so no account can name it")
        }
    }

    /// A server of OAuth 2.0 without metadata and without id tokens, such as GitHub.
    ///
    /// Nothing says who signs in there: name the account in each sign-in, with ``InteractiveRequest/accountID`` or
    /// ``DeviceCodeRequest/accountID``. The tokens are kept for that account, whoever it was in the browser.
    ///
    /// - Parameters:
    ///   - url: identifies the server, and is the issuer of its accounts: always the same text for the same server.
    ///   - endpoints: the endpoints, on any hosts. Tokens are sent to them.
    /// - Returns: the authority.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if one of the URLs is not an `https` URL, or `http` with a
    ///   loopback host, without user information and fragment; only endpoints may have a query.
    public static func oauth(url: String, endpoints: Endpoints) throws(AcquisitionError) -> Authority {
        _ = try address(url)
        try requireIssuerOfAccounts(url)
        var hosts: [String] = []
        let named = [endpoints.token, endpoints.authorization, endpoints.deviceAuthorization, endpoints.revocation]
        for case let endpoint? in named { hosts.append(try address(endpoint, mayHaveQuery: true).authority) }
        return try Authority(.oauth, issuer: url, endpointHosts: hosts, endpoints: endpoints)
    }

    // MARK: - Checking

    /// The path without leading and trailing slashes, which distinguishes issuers on one host.
    private static func path(_ address: WebAddress) -> String { address.segments.joined(separator: "/") }

    private static func address(parts host: String, _ segments: [String]) throws(AcquisitionError) -> WebAddress {
        for segment in segments where segment.isEmpty || segment.contains(where: { "/?#".contains($0) }) {
            throw rejected("a part of its path is empty or contains a separator")
        }
        if host.contains(where: { "/?#".contains($0) }) { throw rejected("its host is not valid") }
        return try address("https://\(([host] + segments).joined(separator: "/"))")
    }

    private static func address(_ url: String, mayHaveQuery: Bool = false) throws(AcquisitionError) -> WebAddress {
        let address: WebAddress
        do throws(WebAddress.Flaw) { address = try WebAddress(url) } catch { throw rejected(error.reason) }
        guard mayHaveQuery || address.query == nil else { throw rejected("it has a query") }
        return address
    }

    private static func rejected(_ reason: String) -> AcquisitionError {
        AcquisitionError(.configurationRejected, detail: "authority: \(reason)")
    }
}

extension WebAddress.Flaw {
    /// Completes "the URL was rejected: …". Never quotes the URL, which may contain a password.
    var reason: String {
        switch self {
        case .malformed: "it is not an absolute URL, or contains characters that no URL has"
        case .scheme: "only https is accepted, and http for loopback hosts"
        case .userInformation: "it contains a user name or a password"
        case .fragment: "it has a fragment"
        case .host: "its host or port is not valid"
        case .path: "its path contains dots or escaped separators"
        }
    }
}
