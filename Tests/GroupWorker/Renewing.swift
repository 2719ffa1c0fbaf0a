// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalHTTP
import TokenCaching

/// A worker that signs in and renews at a token endpoint.
struct Renewing {
    private static let username = "adele"

    private let session: Session
    private let options: Options
    private let endpoint: LocalClient

    init(_ session: Session) {
        self.session = session
        options = session.options
        endpoint = LocalClient(port: options.port)
    }

    private var client: String { options.client == 0 ? Person.client : "client-\(options.client)" }

    /// Signs in two hours ago, so that the access token has ended already.
    func signIn() throws(TokenCacheError) {
        let form = ["grant_type": "password", "client_id": client, "username": Self.username]
        guard let answer = endpoint.post("/token", form) else { giveUp("no token endpoint") }
        let request = TokenRequest(
            environment: Person.host,
            tenant: "tenant",
            scopes: ["User.Read"],
            grant: .interactive
        )
        let cache = try TokenCache(
            group: options.group,
            clientID: client,
            root: options.root,
            storage: Session.storage(options.storage),
            options: TokenCacheOptions(
                clock: WallClock { Timestamp(secondsSince1970: WallClock.system.now().secondsSince1970 - 7_200) },
                timeout: .seconds(20)
            )
        )
        try cache.save(TokenResponse(json: Array(answer.body.utf8)), for: request)
        say("signed in")
    }

    /// Renews once for each line, and says what came of it: with "force" also a token that is good. "out" signs out instead.
    func renew() throws(TokenCacheError) {
        let account = Account.ID("\(Self.username).tenant")
        let plain = TokenQuery(accountID: account, scopes: ["User.Read"])
        let forced = TokenQuery(
            accountID: account,
            scopes: ["User.Read"],
            options: TokenQueryOptions(forceRefresh: true)
        )
        while let line = readLine() {
            if line == "out" {
                for account in try session.cache.accounts() { try session.cache.signOut(account) }
                say("signed out")
                continue
            }
            let query = line == "force" ? forced : plain
            do throws(TokenCacheError) {
                let result = try session.cache.renewSynchronously(query, timeout: .milliseconds(options.wait)) {
                    token in
                    try spend(token)
                }
                switch result {
                case .valid(let token): say("got \(try token.secretString)")
                case .interactionRequired(let interaction): say("interaction \(interaction.reason)")
                case .scopesDeclined(let grant): say("declined \(grant.declinedScopes.joined(separator: " "))")
                }
            } catch {
                say("error \(error.code)")
            }
        }
    }

    private func spend(_ token: RefreshToken) throws -> RenewalOutcome {
        let secret = try token.secretString
        if options.halt == 1 { kill(getpid(), SIGKILL) }
        if options.halt >= 3 {
            say("renewing")
            _ = readLine()
        }
        if options.halt == 4 {
            Child.forkAndStay()
            kill(getpid(), SIGKILL)
        }
        let form = ["grant_type": "refresh_token", "client_id": client, "refresh_token": secret]
        guard let answer = endpoint.post("/token", form) else { return .unavailable }
        if options.halt == 2 { kill(getpid(), SIGKILL) }
        return try .httpResponse(status: answer.status, body: Array(answer.body.utf8))
    }
}
