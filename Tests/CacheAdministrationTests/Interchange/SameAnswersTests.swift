// SPDX-License-Identifier: Apache-2.0

import Programs
import RecordStorage
import SeededRandom
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Groups have different keys, so the tags of their records have different orders.
@Suite("The same document gives the same answers in every group")
struct SameAnswersTests {
    private static let groupCount = 200
    /// Each is asked in each group.
    private static let largestQuestionCount = Scale.pick(240, release: 2_000)

    @Test("whatever the key of the group, and again after an export and an import", arguments: 0..<3)
    func ties(number: Int) throws {
        var random = SeededGenerator(for: "same answers \(number)")
        let document = TiedDocument(&random)
        let questions = try Questions(about: document, limit: Self.largestQuestionCount, &random)
        var first: (exported: String, answers: [String])?
        for group in 0..<Self.groupCount {
            let asked = try AskedGroup(document.text)
            let answers = try questions.answers(of: asked)
            guard let first else {
                first = (asked.exported, answers)
                let again = try questions.answers(of: try AskedGroup(asked.exported))
                for (index, answer) in answers.enumerated() where answer != again[index] {
                    Issue.record("after an export: \(questions.name(index)): \(again[index]), before: \(answer)")
                    return
                }
                continue
            }
            #expect(asked.exported == first.exported, "group \(group) of \(document.text)")
            for (index, answer) in answers.enumerated() where answer != first.answers[index] {
                let difference = "\(answer), in another group: \(first.answers[index])"
                Issue.record("\(questions.name(index)): \(difference)\n\(document.text)")
                return
            }
        }
        #expect(Set(first?.answers ?? []).count > 3, "the questions tell entries apart")
    }

    @Test("an export has the entries of each account in the order of the document")
    func order() throws {
        let tokens = ["zeta", "alpha", "mu", "beta"].map { Document.refreshToken(key: $0, client: $0) }
        for _ in 0..<20 {
            let text = try AskedGroup(Document.sections(["RefreshToken": tokens]).text).exported
            let places = try ["zeta", "alpha", "mu", "beta"].map {
                try #require(text.firstRange(of: "\"\($0)\"")).lowerBound
            }
            #expect(places == places.sorted())
        }
    }
}

/// A group in memory that has imported a document.
private struct AskedGroup {
    let group: CacheGroup
    let exported: String

    init(_ document: String) throws {
        group = try CacheGroup.open("same", root: "/nonexistent", storage: .memory, access: .create)
        _ = try group.importEntries(from: .bytes(Array(document.utf8)))
        exported = try group.give(ExportOptions(includesSignedOutAccounts: true)).text
    }

    func cache(_ client: String) throws -> TokenCache {
        let clock = WallClock { Timestamp(secondsSince1970: TiedDocument.now) }
        return try TokenCache(
            store: try group.opened.store.snapshot(until: .after(.seconds(20))),
            unlockedKeys: group.opened.unlockedKeys,
            clientID: client,
            options: TokenCacheOptions(clock: clock)
        )
    }
}

/// Everything that can be asked about the entries of a document, at most so many questions.
private struct Questions {
    private let byClient: [(client: String, queries: [(name: String, query: TokenQuery)])]

    init(about document: TiedDocument, limit: Int, _ random: inout SeededGenerator) throws {
        var all: [(client: String, name: String, query: () -> TokenQuery)] = []
        let environments: [String?] = [nil] + document.hosts.map(Optional.some)
        let tenants: [String?] =
            [nil, "common", "organizations", TiedDocument.domain] + TiedDocument.tenants.map(Optional.some)
        for client in TiedDocument.clients {
            for environment in environments {
                for scopes in TiedDocument.askedScopes {
                    for tenant in tenants {
                        for id in document.accounts {
                            all.append(
                                (
                                    client, "\(id) \(tenant ?? "-") \(environment ?? "-") \(scopes)",
                                    {
                                        TokenQuery(
                                            accountID: Account.ID(id),
                                            scopes: scopes,
                                            tenant: tenant,
                                            environment: environment
                                        )
                                    }
                                )
                            )
                        }
                        for name in document.usernames {
                            all.append(
                                (
                                    client, "\(name) \(tenant ?? "-") \(environment ?? "-") \(scopes)",
                                    {
                                        TokenQuery(
                                            username: name,
                                            scopes: scopes,
                                            tenant: tenant,
                                            environment: environment
                                        )
                                    }
                                )
                            )
                        }
                        if let tenant {
                            all.append(
                                (
                                    client, "application \(tenant) \(environment ?? "-") \(scopes)",
                                    {
                                        TokenQuery(applicationScopes: scopes, tenant: tenant, environment: environment)
                                    }
                                )
                            )
                        }
                    }
                }
            }
        }
        let chosen = all.shuffled(using: &random).prefix(limit)
        byClient = TiedDocument.clients.map { client in
            (client, chosen.filter { $0.client == client }.map { ($0.name, $0.query()) })
        }
    }

    func answers(of asked: AskedGroup) throws -> [String] {
        var answers: [String] = []
        for (client, queries) in byClient {
            let cache = try asked.cache(client)
            answers.append(try cache.accounts(matching: .all).map(Self.shown).joined(separator: "; "))
            // Queries remember answers, so each group has its own.
            for (_, query) in queries {
                let decision = try cache.token(for: query)
                let idToken = try cache.idToken(for: query)?.secretString ?? "-"
                answers.append("\(try decision.summary()) at \(Self.host(decision)) id \(idToken)")
            }
            // Last, because it is noted.
            let current = try? cache.currentAccount()
            answers.append("\(current?.current?.id.text ?? "-") \(current?.previous?.id.text ?? "-")")
        }
        return answers
    }

    func name(_ index: Int) -> String {
        let names = byClient.flatMap { client, queries in
            ["\(client) accounts"] + queries.map { "\(client) \($0.name)" } + ["\(client) current"]
        }
        return names[index]
    }

    private static func host(_ decision: TokenDecision) -> String {
        switch decision {
        case .valid(let token): token.environment
        case .renew(let token, _): "\(token.environment) \(token.familyID ?? "-") \(token.requestTenant)"
        case .interactionRequired: "-"
        }
    }

    private static func shown(_ account: Account) -> String {
        let profiles = account.tenantProfiles.map { profile in
            "\(profile.tenant) \(profile.environment) \(profile.username ?? "-") \(profile.localAccountID ?? "-")"
        }
        return "\(account.id.text) \(account.username ?? "-") \(account.environment) \(account.isSignedIn) \(profiles)"
    }
}

/// A document whose entries tie: few have times, and they stand under several hosts and keys.
private struct TiedDocument {
    static let now: Int64 = 1_700_000_000
    static let clients = ["client-a", "client-b"]
    static let tenants = ["t1", "t2"]
    /// A name for either of them.
    static let domain = "contoso.example"
    static let askedScopes = [["a"], ["a", "b"], ["a", "openid", "profile"]]

    let hosts = ["login.windows.net", "login.microsoftonline.com", "sts.windows.net"]
    let accounts = ["u1.t1", "u2.t2"]
    let usernames = ["ann@contoso.example", "bob@contoso.example", "guest@contoso.example"]
    let text: String

    init(_ random: inout SeededGenerator) {
        var sections: [String: [String]] = [:]
        for number in 0..<60 {
            let (section, members) = Self.entry(number, hosts, accounts, usernames, &random)
            let content = members.map { name, value in
                let isText = !value.hasPrefix("{") && !value.hasPrefix("[")
                return "\"\(name)\": " + (isText ? "\"\(value)\"" : value)
            }.joined(separator: ", ")
            sections[section, default: []].append("\"k\(number)\": {\(content)}")
        }
        let order =
            [
                "AccessToken", "AccessToken_With_AuthScheme", "RefreshToken", "IdToken", "Account", "AppMetadata",
                "AccountMetadataMap",
            ].shuffled(using: &random)
        text =
            "{" + order.map { "\"\($0)\": {\((sections[$0] ?? []).joined(separator: ",\n"))}" }.joined(separator: ",\n")
            + "}"
    }

    private static func entry(
        _ number: Int,
        _ hosts: [String],
        _ accounts: [String],
        _ usernames: [String],
        _ random: inout SeededGenerator
    ) -> (section: String, members: KeyValuePairs<String, String>) {
        let (host, client) = (random.pick(hosts), random.pick(clients))
        let account = random.once(in: 12) ? "" : random.once(in: 8) ? "U1.T1" : random.pick(accounts)
        let tenant = random.pick(tenants)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3:
            return (
                random.once(in: 3) ? "AccessToken_With_AuthScheme" : "AccessToken",
                [
                    "credential_type": random.once(in: 3) ? "AccessToken_With_AuthScheme" : "AccessToken",
                    "token_type": "Bearer", "home_account_id": account, "environment": host,
                    "client_id": client, "realm": tenant, "target": random.pick("a", "a b", "b", "a openid profile"),
                    "secret": "at\(number)", "cached_at": String(now - random.pick(10, 20, 20, 5_000)),
                    "expires_on": String(now + random.pick(-1, 2_000, 2_000)),
                ]
            )
        case 3..<6:
            return (
                "RefreshToken",
                [
                    "credential_type": "RefreshToken", "home_account_id": account, "environment": host,
                    "client_id": client, "secret": "rt\(number)", "family_id": random.pick("", "", "1"),
                    (random.once(in: 6) ? "last_modification_time" : "x"): String(now - random.pick(1, 1, 2))
                        + random.pick("", ".25", ".75"),
                ]
            )
        case 6:
            return (
                "IdToken",
                [
                    "credential_type": "IdToken", "home_account_id": account, "environment": host,
                    "client_id": client, "realm": tenant, "secret": "e30.e30.id\(number)",
                ]
            )
        case 7, 8:
            return (
                "Account",
                [
                    "home_account_id": account, "environment": host, "realm": tenant,
                    "local_account_id": "local\(number)", "authority_type": "MSSTS",
                    "username": random.once(in: 4) ? "" : random.pick(usernames),
                    (random.once(in: 3) ? "tenantProfiles" : "x"): profile(number, usernames, &random),
                ]
            )
        case 9:
            return ("AppMetadata", ["environment": host, "client_id": client, "family_id": random.pick("", "1")])
        default:
            return (
                "AccountMetadataMap",
                [
                    "client_id": client, "principal_home_account_id": account,
                    "account_metadata_map": metadata(account, host, &random),
                    (random.once(in: 6) ? "last_modification_time" : "x"): String(now - random.pick(1, 1, 2)),
                ]
            )
        }
    }

    /// An account's profile in another tenant, as MSAL Node writes it.
    private static func profile(
        _ number: Int,
        _ usernames: [String],
        _ random: inout SeededGenerator
    ) -> String {
        let username = random.pick(usernames)
        let id = "\"localAccountId\": \"guest\(number)\", \"username\": \"\(username)\""
        return "[{\"tenantId\": \"\(random.pick(tenants))\", \(id)}]"
    }

    /// Whether an account is signed in, and which tenant a name meant.
    private static func metadata(_ account: String, _ host: String, _ random: inout SeededGenerator) -> String {
        let state = random.pick("signed_in", "signed_in", "unknown", "signed_out")
        let urls = "{\"https://\(host)/\(domain)\": \"https://\(host)/\(random.pick(tenants))\"}"
        let map = "{\"sign_in_state\": \"\(state)\", \"athority_map\": {\"URLMap-\": \(urls)}}"
        return "{\"\(account)\": \(map)}"
    }
}
