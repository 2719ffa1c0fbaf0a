// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// What the metadata of a kind of authority may say: its issuer, and the hosts of its endpoints.
extension Authority {
    /// The issuers that it may name. `{host}` is the authority's host and port, `{cloud}` any host of the same Microsoft
    /// cloud, `{tenant}` the tenant (its id, if the authority names it by a domain), `{policy}` the policy. A server for many
    /// tenants writes `{tenantid}` in place of the tenant.
    private var issuerForms: [String] {
        switch kind {
        case .entra: ["https://{cloud}/{tenant}/v2.0", "https://{cloud}/{tenant}/"]
        case .b2c: ["https://{host}/{tenant}/v2.0/", "https://{host}/tfp/{tenant}/{policy}/v2.0/"]
        case .ciam: ["https://{host}/{tenant}/v2.0", "https://{tenant}.ciamlogin.com/{tenant}/v2.0"]
        case .adfs: ["https://{host}/adfs"]
        case .openIDConnect, .oauth: []
        }
    }

    /// Whether the server's metadata may name this issuer: one of its kind's, or exactly the configured one.
    ///
    /// - Parameters:
    ///   - issuer: the issuer in the metadata.
    ///   - aliases: hosts of the same cloud, according to instance discovery.
    /// - Returns: whether the rules accept it.
    func accepts(issuer: String, aliases: [String] = []) -> Bool {
        if !self.issuer.isEmpty, issuer == self.issuer { return true }
        return issuerForms.contains { matches(issuer, form: $0, aliases: aliases) }
    }

    /// Whether the metadata may name this endpoint.
    func accepts(endpoint: WebAddress, aliases: [String] = []) -> Bool {
        guard endpoint.scheme == address.scheme || endpoint.scheme == "https" else { return false }
        let host = endpoint.authority
        return switch kind {
        case .entra: isOfCloud(host, aliases)
        case .b2c, .ciam, .adfs: host == environment
        case .openIDConnect:
            host == environment || endpointHosts.contains(host) || KnownEndpointHosts.contain(host, of: environment)
        case .oauth: endpointHosts.contains(host) || (endpoints == nil && host == environment)
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
