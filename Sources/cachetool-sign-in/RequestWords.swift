// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching
import ToolInterface

/// What the command line says of a request, as the client wants it.
enum RequestWords {
    /// The scopes of a list that spaces separate.
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

    /// The claims of a challenge.
    static func claims(_ json: String?) throws(AcquisitionError) -> ClaimsRequest? {
        guard let json else { return nil }
        return try ClaimsRequest(json: json)
    }

    /// The authority that an account signed in at. The host and the tenant of the account say which, except for issuers other
    /// than Microsoft's: those have to be called exactly what they call themselves, as in the id token.
    static func authority(of account: Account, in cache: TokenCache) async throws -> Authority {
        let home = account.tenantProfiles.first { $0.isHome } ?? account.tenantProfiles.first
        let unknown = CommandFailure(.usage, "Where the account signed in is not known. Name it with --authority.")
        guard
            let authority = try? Authority("https://\(account.environment)/\(home?.tenant ?? "")")
        else { throw unknown }
        guard authority.kind == .openIDConnect else { return authority }
        guard let issuer = try await cache.idToken(for: account)?.claims?.issuer,
            let authority = try? Authority(issuer),
            authority.environment == account.environment
        else { throw unknown }
        return authority
    }
}
