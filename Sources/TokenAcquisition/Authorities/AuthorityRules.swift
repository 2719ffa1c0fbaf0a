// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// What the metadata of a kind of authority may say: its issuer, and the hosts of its endpoints.
///
/// `{host}` is the authority's host and port, `{cloud}` any host of the same Microsoft cloud, `{tenant}` the tenant
/// (its id, if the authority names it by a domain), `{policy}` the policy, `{issuer}` the configured issuer, `{named}`
/// a host that the application names, `{known}` one that the issuer is known to use. In an issuer, a server for many
/// tenants writes `{tenantid}` in place of the tenant.
struct AuthorityRules {
    let issuers: [String]
    let endpointHosts: [String]

    static func of(_ kind: Authority.Kind) -> AuthorityRules {
        switch kind {
        case .entra:
            AuthorityRules(
                issuers: ["https://{cloud}/{tenant}/v2.0", "https://{cloud}/{tenant}/"],
                endpointHosts: ["{cloud}"]
            )
        case .b2c:
            AuthorityRules(
                issuers: ["https://{host}/{tenant}/v2.0/", "https://{host}/tfp/{tenant}/{policy}/v2.0/"],
                endpointHosts: ["{host}"]
            )
        case .ciam:
            AuthorityRules(
                issuers: ["https://{host}/{tenant}/v2.0", "https://{tenant}.ciamlogin.com/{tenant}/v2.0"],
                endpointHosts: ["{host}"]
            )
        case .adfs: AuthorityRules(issuers: ["https://{host}/adfs"], endpointHosts: ["{host}"])
        case .openIDConnect: AuthorityRules(issuers: ["{issuer}"], endpointHosts: ["{host}", "{named}", "{known}"])
        case .oauth: AuthorityRules(issuers: ["{issuer}"], endpointHosts: ["{named}"])
        }
    }
}

extension Authority {
    /// Whether the server's metadata may name this issuer.
    ///
    /// - Parameters:
    ///   - issuer: the issuer in the metadata.
    ///   - aliases: hosts of the same cloud, according to instance discovery.
    /// - Returns: whether the rules accept it.
    func accepts(issuer: String, aliases: [String] = []) -> Bool {
        AuthorityRules.of(kind).issuers.contains { form in
            form == "{issuer}" ? issuer == self.issuer : matches(issuer, form: form, aliases: aliases)
        }
    }

    /// Whether the metadata may name this endpoint.
    func accepts(endpoint: WebAddress, aliases: [String] = []) -> Bool {
        guard endpoint.scheme == address.scheme || endpoint.scheme == "https" else { return false }
        return AuthorityRules.of(kind).endpointHosts.contains { form in
            switch form {
            case "{cloud}": isOfCloud(endpoint.authority, aliases)
            case "{named}": endpointHosts.contains(endpoint.authority)
            case "{known}": KnownEndpointHosts.contain(endpoint.authority, of: address.authority)
            default: endpoint.authority == address.authority
            }
        }
    }

    /// Whether the authority stands for this tenant, as an id token or an issuer names it.
    func accepts(tenantID: String) -> Bool {
        let (found, requested) = (tenantID.lowercased(), tenantText.lowercased())
        switch tenantWord {
        case .common: return UUIDText.isValid(found)
        case .organizations: return UUIDText.isValid(found) && found != TenantWord.consumersTenant.string
        case .consumers: return found == TenantWord.consumersTenant.string
        case nil: return found == requested || (UUIDText.isValid(found) && !UUIDText.isValid(requested))
        }
    }

    /// Whether a host is the authority's, or another host of its cloud.
    func isOfCloud(_ host: String, _ aliases: [String] = []) -> Bool {
        host == address.authority || aliases.contains(host)
            || CloudTable.builtIn.cloud(of: UTF8Text(host)).map {
                $0 == CloudTable.builtIn.cloud(of: UTF8Text(environment))
            }
                ?? false
    }

    // MARK: - Matching

    private func matches(_ issuer: String, form: String, aliases: [String]) -> Bool {
        guard let found = Self.parts(issuer), let expected = Self.parts(form), found.count == expected.count else {
            return false
        }
        var tenants: Set<String> = []
        func note(_ tenant: String) -> Bool {
            tenants.insert(tenant)
            return !tenant.isEmpty
        }
        let areEqual = zip(found, expected).allSatisfy { part, form in
            switch form {
            case "{host}": part.lowercased() == address.authority
            case "{cloud}": isOfCloud(part.lowercased(), aliases)
            case "{tenant}": note(part.lowercased())
            case "{policy}": part.lowercased() == policy.lowercased()
            case "{tenant}.ciamlogin.com": note(Self.ciamTenant(part))
            default: part == form
            }
        }
        guard areEqual, tenants.count <= 1 else { return false }
        return tenants.allSatisfy { $0 == "{tenantid}" ? isForManyTenants : accepts(tenantID: $0) }
    }

    /// Whether the server may write `{tenantid}` in place of a tenant.
    private var isForManyTenants: Bool { tenantWord == .common || tenantWord == .organizations }

    private static func ciamTenant(_ host: String) -> String {
        let host = host.lowercased()
        let suffix = ".ciamlogin.com"
        return host.hasSuffix(suffix) ? String(host.dropLast(suffix.count)) : ""
    }

    /// The host and the path segments of an `https` issuer; the last segment is empty if the path ends with a slash.
    private static func parts(_ issuer: String) -> [String]? {
        let scheme = "https://"
        guard issuer.hasPrefix(scheme), !issuer.contains(where: { "?#@".contains($0) }) else { return nil }
        return issuer.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }
}
