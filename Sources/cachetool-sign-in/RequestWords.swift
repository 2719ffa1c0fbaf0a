// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching
import ToolInterface

/// Converts options of the command line to values of a request.
enum RequestWords {
    /// The scopes in a list separated by spaces.
    static func scopes(_ text: String, _ session: Session) throws(CommandFailure) -> [String] {
        let scopes = text.split(separator: " ").map(String.init)
        guard !scopes.isEmpty else {
            throw CommandFailure(.usage, "--scopes is empty. Name at least one scope, such as User.Read.")
        }
        if text.contains(where: { $0 == "," || $0 == ";" }) {
            session.console.warn("scopes are separated by spaces; the text between two spaces is one scope.")
        }
        return scopes
    }

    /// The authority with a URL, and with the endpoints that are named.
    static func authority(_ url: String, _ endpoints: EndpointOptions) throws -> Authority {
        if let token = endpoints.tokenEndpoint {
            return try .oauth(
                url: url,
                endpoints: Authority.Endpoints(
                    token: token,
                    authorization: endpoints.authorizationEndpoint,
                    deviceAuthorization: endpoints.deviceAuthorizationEndpoint,
                    revocation: endpoints.revocationEndpoint
                )
            )
        }
        let authority = try Authority(url)
        guard !endpoints.endpointHost.isEmpty else { return authority }
        guard authority.kind == .openIDConnect else {
            throw CommandFailure(.usage, "--endpoint-host is for issuers other than Microsoft's. Omit it.")
        }
        return try .openIDConnect(issuer: url, endpointHosts: endpoints.endpointHost)
    }

    /// The authority at which an account signed in, with the endpoints that are named.
    static func authority(
        of account: Account,
        _ endpoints: EndpointOptions,
        in cache: TokenCache
    ) async throws -> Authority {
        if endpoints.tokenEndpoint != nil, let issuer = account.id.issuer { return try authority(issuer, endpoints) }
        return try authority(try await authority(of: account, in: cache).url, endpoints)
    }

    /// The authority at which an account signed in, from the account's host and tenant. For an issuer other than
    /// Microsoft's, the authority has to be exactly the issuer in the id token.
    private static func authority(of account: Account, in cache: TokenCache) async throws -> Authority {
        let home = account.tenantProfiles.first { $0.isHome } ?? account.tenantProfiles.first
        let unknown = CommandFailure(
            .usage,
            "It is unknown where the account signed in. Specify the authority with --authority."
        )
        guard
            let authority = try? Authority("https://\(account.environment)/\(home?.tenant ?? "")")
        else { throw unknown }
        switch authority.kind {
        case .entra, .b2c, .ciam, .adfs: return authority
        case .openIDConnect, .oauth: break
        // The issuer in the id token is right for every kind.
        @unknown default: break
        }
        var issuer = account.id.issuer
        if issuer == nil { issuer = try await cache.idToken(for: account)?.claims?.issuer }
        guard let issuer, let authority = try? Authority(issuer),
            authority.environment == account.environment
        else { throw unknown }
        return authority
    }
}
