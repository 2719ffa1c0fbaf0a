// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalHTTP
import Synchronization
import TokenCaching

/// A worker whose clock is told by whoever reads it: each line has the seconds that have passed and what is wanted then.
struct Storming {
    private let cache: TokenCache
    private let clock: SharedClock
    private let endpoint: LocalClient
    private let host: String

    private static let account: Account.ID = "adele.tenant"

    init(_ options: Options) throws(TokenCacheError) {
        let clock = SharedClock()
        self.clock = clock
        host = options.host
        endpoint = LocalClient(port: options.port)
        cache = try TokenCache(
            group: options.group,
            clientID: Person.client,
            root: options.root,
            storage: Session.storage(options.storage),
            options: TokenCacheOptions(
                clock: WallClock {
                    Timestamp(secondsSince1970: 1_700_000_000 + clock.seconds.load(ordering: .relaxed))
                },
                timeout: .seconds(20)
            )
        )
    }

    /// Answers each line, such as `120 Denied Fast`, with what came of each scope. `120 in` signs in.
    func answer() throws(TokenCacheError) {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            clock.seconds.store(Int64(words.first ?? "") ?? 0, ordering: .relaxed)
            var answers: [String] = []
            for scope in words.dropFirst() { answers.append(scope == "in" ? try signIn() : renew(scope)) }
            say(answers.joined(separator: ", "))
        }
    }

    private func signIn() throws(TokenCacheError) -> String {
        let form = ["grant_type": "password", "client_id": Person.client, "username": "adele", "lifetime": "1"]
        guard let answer = endpoint.post("/token", form) else { giveUp("no token endpoint") }
        let request = TokenRequest(environment: host, tenant: "tenant", scopes: ["User.Read"], grant: .interactive)
        try cache.save(TokenResponse(json: Array(answer.body.utf8)), for: request)
        return "signed in"
    }

    private func renew(_ scope: String) -> String {
        let query = TokenQuery(accountID: Self.account, scopes: [scope], tenant: "tenant", environment: host)
        do throws(TokenCacheError) {
            switch try cache.renewSynchronously(query, redeeming: { token in try spend(token, scope) }) {
            case .valid: return "got \(scope)"
            case .interactionRequired(let interaction):
                return "\(interaction.reason) \(interaction.errorResponse?.error ?? "")"
            case .scopesDeclined: return "declined"
            }
        } catch {
            return "\(error.code) \(error.errorResponse?.status.map(String.init) ?? "")"
        }
    }

    private func spend(_ token: RefreshToken, _ scope: String) throws -> RenewalOutcome {
        let form = [
            "grant_type": "refresh_token", "client_id": Person.client, "refresh_token": try token.secretString,
            "scope": scope, "lifetime": "12",
        ]
        guard let answer = endpoint.post("/token", form) else { return .unavailable }
        return try .httpResponse(status: answer.status, body: Array(answer.body.utf8), retryAfter: "100")
    }
}

private final class SharedClock: Sendable {
    let seconds = Atomic<Int64>(0)
}
