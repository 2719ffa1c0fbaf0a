// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import UnifiedSchema

@testable import TokenCaching

/// Tokens of one account as any SDK may have stored them, and as a save would write them.
struct GeneratedTokens {
    var random: SeededGenerator
    var account = ""
    /// The realms of access and id tokens; those that stand there several times come as often.
    var realms: [UTF8Text] = ["utid", "utid", "utid", "common", "guest"]

    init(stream: UInt64) {
        random = SeededGenerator(stream: stream)
    }

    /// Nil where the SDK would not write such a token.
    mutating func stored() -> EntryFacts? {
        var token = saved()
        token.kind = random.pick(token.kind, token.kind, .familyRefreshToken, .v1IDToken, .accessTokenWithAuthScheme)
        let scopes: UTF8Text = random.pick("a b", "Mail.Read", "openid User.Read", "")
        if random.once(in: 3) { token.target = ScopeSet(scopes) }
        if random.once(in: 4) { token.clientInfo = UTF8Text("info") }
        if random.once(in: 4) { token.homeAccountID = UTF8Text(" \(account.uppercased())") }
        if random.once(in: 3) { token.lastModificationTime = random.pick(nil, TestEntry.start - 5) }
        let facts = try? token.facts(random.pick(KeyFormat.allCases + [.standard, .standard, .standard]))
        let other = saved()
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return facts?.under(random.pick("key 0", "key 1", "key 2"))
        case 1: return facts?.under(random.pick("key \"quoted\"", "key \\"))
        // Under a key that is meant for another one.
        case 2: return (try? other.facts())?.key.flatMap { facts?.under($0) }
        default: return facts
        }
    }

    private mutating func rarely(_ text: UTF8Text) -> UTF8Text? {
        random.once(in: 12) ? text : nil
    }

    mutating func saved() -> NewCredential {
        var token = NewCredential(
            kind: random.pick(.accessToken, .accessToken, .refreshToken, .refreshToken, .idToken),
            environment: random.pick(
                "login.microsoftonline.com",
                "login.windows.net",
                "login.windows.net",
                "Login.Windows.Net",
                "login.microsoftonline.us",
                "adfs.contoso.com"
            ),
            clientID: random.pick("client-a", "client-a", "client-a", "Client-A", "client-b")
        )
        token.homeAccountID = UTF8Text(account)
        token.realm =
            token.kind == .refreshToken
            ? random.pick(nil, nil, "utid") : random.pick(realms)
        if token.kind == .accessToken {
            let scopes: UTF8Text = random.pick("User.Read Mail.Read", "mail.read", "Files.Read openid", "openid")
            token.target = ScopeSet(scopes)
            token.tokenType = random.pick(nil, nil, nil, nil, nil, "Bearer", "pop")
            token.keyID = token.tokenType == "pop" ? random.pick(nil, "K", "k") : nil
            token.cachedAt = TestEntry.start - 600
            token.expiresOn = TestEntry.start + random.pick(-5, 0, 3000)
            token.extendedExpiresOn = random.pick(nil, TestEntry.start + 1, TestEntry.start + 4000)
            token.isolation.claims = rarely("{}")
            token.isolation.extendedKey = rarely("x")
            token.isolation.application = rarely("app")
        }
        if token.kind == .refreshToken {
            token.familyID = random.pick(nil, nil, "1", "2")
            token.lastModificationTime = TestEntry.start
        }
        if token.kind != .idToken { token.isolation.assertionHash = rarely(random.pick("hash", "HASH=")) }
        return token
    }
}
