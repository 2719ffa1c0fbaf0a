// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// Entries as the libraries of others leave them, of every kind and spelling.
struct ImportedEntries {
    static let claims = "{\"access_token\":{\"x\":null}}"
    static let start: Int64 = 1_700_000_000

    func any(secret: String, _ random: inout SeededGenerator) -> ModelEntry {
        let person = Person.any(&random)
        var members: [String: ModelValue] = [
            "home_account_id": .text(
                random.once(in: 8) ? person.homeAccountID.uppercased() : person.homeAccountID
            ),
            "environment": .text(random.pick(person.hosts)),
        ]
        if random.once(in: 6) { members["x-unknown"] = random.pick(.null, .number(7), .text("seven")) }
        let client: ModelValue = .text(random.pick("client-a", "client-a", "client-b", "client-c", "CLIENT-B"))
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4:
            members["client_id"] = client
            return accessToken(secret, members, person, &random)
        case 4..<8:
            members["client_id"] = client
            if random.once(in: 12) { members["home_account_id"] = random.pick(nil, .null) }
            return refreshToken(secret, members, person, &random)
        case 8:
            members["client_id"] = client
            if random.once(in: 6) { members["home_account_id"] = random.pick(nil, .null) }
            members["credential_type"] = .text(random.pick("IdToken", "IdToken", "V1IdToken"))
            members["secret"] = .text("e30.e30.\(secret)")
            members["realm"] = .text(random.pick(person.tenants))
            return entry("IdToken", members, ["home_account_id", "environment", "client_id", "realm"], &random)
        case 9..<11:
            members["realm"] = .text(random.pick(person.tenants))
            members["local_account_id"] = .text(random.pick(person.uid, "guest-\(person.uid)"))
            members["username"] = .text(random.once(in: 4) ? person.username.uppercased() : person.username)
            members["authority_type"] = .text("MSSTS")
            // Of a username that several people have, nothing says whose it is.
            if Person.all.count(where: { $0.username == person.username }) == 1, random.once(in: 5) {
                members["home_account_id"] = random.pick(nil, .null)
                if random.once(in: 3) { members["username"] = .text(Person.unknown) }
            }
            return entry("Account", members, ["home_account_id", "environment", "realm"], &random)
        default:
            members["home_account_id"] = nil
            members["client_id"] = client
            members["family_id"] = random.pick(nil, .null, .text(""), .text("1"), .text("1"), .text("2"))
            return entry("AppMetadata", members, ["environment", "client_id"], &random)
        }
    }

    private func accessToken(
        _ secret: String,
        _ common: [String: ModelValue],
        _ person: Person,
        _ random: inout SeededGenerator
    ) -> ModelEntry {
        var members = common
        if random.once(in: 8) { members["home_account_id"] = random.pick(nil, .null) }
        let cachedAt = Self.start + random.pick(-4000, -1000, 0, 0, 1000, 4000)
        members["credential_type"] = .text(random.pick("AccessToken", "AccessToken", "accesstoken"))
        members["secret"] = .text(secret)
        members["realm"] = .text(random.pick(person.tenants))
        members["target"] = .text(
            random.pick(
                "a",
                "b",
                "a b",
                "A B",
                "b c",
                "a openid profile",
                "r//.default",
                "openid",
                "a email",
                "b phone",
                "Phone",
                "offline_access",
                "offline_access a"
            )
        )
        members["cached_at"] = random.once(in: 3) ? .number(cachedAt) : .text(String(cachedAt))
        members["expires_on"] = .text(String(cachedAt + random.pick(100, 3600, 3600, 20_000)))
        if random.once(in: 12) {
            members["expires_on"] = random.pick(nil, .null, .text(String((cachedAt + 3600) * 1000)))
        }
        if random.once(in: 4) {
            members["extended_expires_on"] = .text(String(random.pick(cachedAt + 30_000, (cachedAt + 30_000) * 1000)))
        }
        if random.once(in: 6) { members["refresh_on"] = .text(String(cachedAt + 1800)) }
        var section = "AccessToken"
        if random.once(in: 16) { members["secret"] = blank(&random) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: members[random.pick("requested_claims", "requestedClaims")] = .text(Self.claims)
        case 6:
            let name = random.pick("application_cache_identifier", "application_identifier")
            members[name] = .text(random.pick("app.one", "APP.one", "app.two"))
        case 1:
            let name = random.pick("user_assertion_hash", "userAssertionHash")
            members[name] = .text(random.pick(SequenceGenerator.assertions))
        case 2:
            members["ext_cache_key"] = .text("ext")
            members["credential_type"] = .text("ATExt")
        case 3, 4:
            members["token_type"] = .text(random.pick("pop", "PoP", "ssh-cert"))
            members[random.pick("kid", "keyid", "key_id")] = .text(random.pick("k1", "k2"))
            if random.once(in: 2) {
                members["credential_type"] = .text("AccessToken_With_AuthScheme")
            }
            if random.once(in: 3) { section = "AccessToken_With_AuthScheme" }
        case 5:
            members["token_type"] = .text(random.pick("Bearer", "bearer"))
            if random.once(in: 2) {
                members["credential_type"] = .text("AccessToken_With_AuthScheme")
            }
            if random.once(in: 2) { section = "AccessToken_With_AuthScheme" }
        case 7: members["ext"] = components(&random)
        case 8: members["additionalCacheKeyComponents"] = components(&random)
        case 9 where random.once(in: 2): members["resource"] = .text(random.pick("https://one.example", " "))
        default: break
        }
        let parts = ["home_account_id", "environment", "client_id", "realm", "target"]
        return entry(section, members, parts, isolatedBy: random.once(in: 16) ? ModelEntry.keyPart : nil, &random)
    }

    /// What stands in the place of a token that is none.
    private func blank(_ random: inout SeededGenerator) -> ModelValue? {
        random.pick(
            nil,
            .null,
            .text(""),
            .text(" "),
            .text("a\nb"),
            .text("t\u{F6}k"),
            .number(5),
            .object(["a": "b"])
        )
    }

    private func components(_ random: inout SeededGenerator) -> ModelValue {
        .object(["fmi_path": random.pick("one", "two")])
    }

    private func refreshToken(
        _ secret: String,
        _ common: [String: ModelValue],
        _ person: Person,
        _ random: inout SeededGenerator
    ) -> ModelEntry {
        var members = common
        members["credential_type"] = .text("RefreshToken")
        members["secret"] = .text(secret)
        if random.once(in: 3) {
            members["family_id"] = random.pick(.text("1"), .text("1"), .text("2"), .text(""), .null)
        }
        if random.once(in: 3) {
            members["last_modification_time"] = .text(String(Self.start + random.pick(-500, 0, 500, 900)))
        }
        if random.once(in: 16) { members["secret"] = blank(&random) }
        if random.once(in: 3) { members["target"] = .text(random.pick("a", "b")) }
        if random.once(in: 16) { members["ext"] = components(&random) }
        if random.once(in: 8) { members["user_assertion_hash"] = .text(random.pick(SequenceGenerator.assertions)) }
        if random.once(in: 8) {
            members["expires_on"] = .text(random.pick("0", String(Self.start + random.pick(-1, 0, 1000, 4000))))
        }
        if person.home == nil { members["realm"] = .text(random.pick(person.tenants)) }
        // Without an account, such a key would be that of several clients.
        let isNameless = [nil, .null].contains(members["home_account_id"])
        let isFamily = members["family_id"] != nil && !isNameless && random.once(in: 2)
        return entry(
            "RefreshToken",
            members,
            ["home_account_id", "environment", isFamily ? "family_id" : "client_id", "realm", "target"],
            &random
        )
    }

    /// Under the key that most libraries make out of these members, or under one that says nothing.
    private func entry(
        _ section: String,
        _ members: [String: ModelValue],
        _ parts: [String],
        isolatedBy keyPart: String? = nil,
        _ random: inout SeededGenerator
    ) -> ModelEntry {
        var entry = ModelEntry(section: section, key: "", members: members)
        var pieces = parts.map { entry.text($0) ?? "" }
        pieces.insert(section, at: min(2, pieces.count))
        entry.key = folded(pieces.joined(separator: "-"))
        if let keyPart {
            entry.key += "-" + keyPart
            return entry
        }
        if random.once(in: 5) { entry.key += "--" }
        if random.once(in: 8) {
            // It names whose it is: one key for entries of two accounts is left to tests of imports.
            let whose = entry.account.isEmpty ? "\(entry.client) \(entry.realm)" : entry.account
            entry.key = "k\(Int.random(in: 0..<3, using: &random)) \(whose)"
        }
        return entry
    }
}
