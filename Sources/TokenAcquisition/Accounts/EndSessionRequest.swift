// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import TokenCaching

/// A request to end the user's session in the browser (OpenID Connect RP-Initiated Logout 1.0), and the state that
/// identifies its response. Used once.
struct EndSessionRequest: Sendable {
    let url: String
    private let state: String

    /// What tells the server which session to end.
    struct Hints: Sendable {
        let username: String?
        let idToken: String?

        /// Longer id tokens are not sent, because servers limit the length of a URL.
        private static let longestToken = 6144

        /// Reads the hints from the cache. Omits those that cannot be read: the server then asks the user.
        init(of account: Account, at authority: Authority, in cache: TokenCache) async {
            let token = try? await cache.idToken(
                for: account,
                tenant: authority.tenantWord == nil ? authority.tenant : nil,
                environment: authority.environment
            )
            // Entra issues this claim for this purpose.
            let hint = (try? token?.claims)?.text("login_hint") ?? account.username
            username = hint?.isEmpty == false ? hint : nil
            let text = authority.kind.endsSessionsWithoutIDToken ? nil : try? token?.secretString
            idToken = text.flatMap { $0.utf8.count <= Self.longestToken ? $0 : nil }
        }
    }

    init(at address: String, clientID: String, _ hints: Hints, redirectURI: String) {
        state = Base64URL.encode(SystemRandom.bytes(32))
        var form = FormBody()
        form.add("client_id", clientID)
        form.add("post_logout_redirect_uri", redirectURI)
        form.add("state", state)
        form.add("logout_hint", hints.username)
        form.add("id_token_hint", hints.idToken)
        url = address + (address.contains("?") ? "&" : "?") + form.query
        form.wipe()
    }

    /// Judges a request to the redirect URI. One without this request's state is foreign: any process on the machine
    /// may have sent it.
    func verdict(on response: RedirectResponse) -> RedirectVerdict {
        guard let parameters = FormParameters.decoded(response.parameters), parameters["state"] == state else {
            return .foreign
        }
        return parameters["error"] == nil ? .completed : .failed
    }
}
