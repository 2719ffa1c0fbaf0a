// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalHTTP
import TokenCaching

/// What an application does with a group: everything else is its own business.
struct App {
    private let name: String
    private let clientID: String
    private let endpoint: LocalClient
    private let cache: TokenCache
    private let scopes = ["User.Read"]

    init(name: String, root: String, port: UInt16) throws(TokenCacheError) {
        self.name = name
        clientID = "client-of-\(name)"
        endpoint = LocalClient(port: port)
        cache = try TokenCache(group: "example", clientID: clientID, root: root)
    }

    func perform(_ verb: String, _ username: String) throws(TokenCacheError) {
        switch verb {
        case "sign-in": try signIn(username)
        case "accounts": say("signed in: \(try cache.accounts().compactMap(\.username))")
        case "mail": try readMail(username)
        case "sign-out": try signOut(username)
        default: say("sign-in, accounts, mail or sign-out")
        }
    }

    /// What stands for the browser window. The token lives a second, so that the next one has to renew.
    private func signIn(_ username: String) throws(TokenCacheError) {
        let form = ["grant_type": "authorization_code", "client_id": clientID, "username": username, "lifetime": "1"]
        guard let answer = endpoint.post("/token", form), answer.status == 200 else { return say("the server refused") }
        let request = TokenRequest(
            environment: "login.microsoftonline.com",
            tenant: "common",
            scopes: scopes,
            grant: .interactive
        )
        try cache.save(TokenResponse(json: Array(answer.body.utf8)), for: request)
        say("\(username) signed in")
    }

    /// Gets a token and says where it came from.
    private func readMail(_ username: String) throws(TokenCacheError) {
        var renewed = false
        let query = TokenQuery(username: username + "@contoso.example", scopes: scopes)
        let result = try cache.renewSynchronously(query) { refreshToken in
            renewed = true
            let form = [
                "grant_type": "refresh_token", "client_id": clientID,
                "refresh_token": try refreshToken.secretString,
            ]
            guard let answer = endpoint.post("/token", form) else { return .unavailable }
            return try .httpResponse(status: answer.status, body: Array(answer.body.utf8))
        }
        switch result {
        case .valid(let token):
            // Only because it is worth nothing: a token is never shown.
            say("\(renewed ? "renewed, and got" : "found") \(try token.secretString)")
        case .interactionRequired(let interaction): say("\(username) has to sign in (\(interaction.reason))")
        case .scopesDeclined(let grant): say("\(username) declined \(grant.declinedScopes)")
        }
    }

    private func signOut(_ username: String) throws(TokenCacheError) {
        let filter = AccountFilter(username: username + "@contoso.example")
        guard let account = try cache.accounts(matching: filter).first else {
            return say("\(username) is not signed in")
        }
        try cache.signOut(account)
        say("\(username) signed out")
    }

    func say(_ text: String) {
        print("\(name): \(text)")
        fflush(nil)
    }
}
