// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Entries of our own, at random")
struct BuildPropertyTests {
    private static func text(_ random: inout RandomJSON) -> UTF8Text {
        let pieces = ["a", "B", "é", "😀", "\"", "\\", "\n", "-", ".", "0", " x", "\u{1}"]
        return UTF8Text("v" + (0..<random.pick([0, 1, 3, 9])).map { _ in random.pick(pieces) }.joined())
    }

    private static func maybe(_ random: inout RandomJSON) -> UTF8Text? {
        random.chance(50) ? text(&random) : nil
    }

    private static func credential(_ random: inout RandomJSON) -> NewCredential {
        let kinds: [EntryKind] = [.accessToken, .refreshToken, .idToken, .v1IDToken, .familyRefreshToken]
        var token = NewCredential(kind: random.pick(kinds), environment: text(&random), clientID: text(&random))
        token.homeAccountID = maybe(&random)
        token.realm = maybe(&random)
        token.familyID = maybe(&random)
        token.target = maybe(&random).map { ScopeSet($0) }
        if token.kind == .accessToken {
            token.tokenType = random.pick([nil, "Bearer", "bearer", "pop", "Ssh-Cert"])
            token.keyID = maybe(&random)
            token.isolation.claims = maybe(&random)
            token.isolation.application = maybe(&random)
            if random.chance(30) {
                token.extendedKey = ExtendedKey([.init(name: text(&random), value: text(&random))])
            }
        }
        token.isolation.assertionHash = maybe(&random)
        token.clientInfo = maybe(&random)
        token.cachedAt = random.pick([nil, 0, 1_700_000_000])
        token.expiresOn = random.pick([nil, 5])
        token.lastModificationTime = random.pick([nil, 6])
        return token
    }

    @Test("entries that are built, written and read keep their members", arguments: KeyFormat.allCases)
    func roundTrip(format: KeyFormat) throws {
        var random = RandomJSON(stream: 2000 + UInt64(format.rawValue))
        for _ in 0..<150 {
            let token = Self.credential(&random)
            let facts = try token.facts(format)
            let payload = payload(ofToken: "tok")
            let read = try ReadDocument(HeapWindow(try write([(facts, payload)])))
            #expect(read.entries.map(\.facts) == [facts])
            #expect(read.entries.map(\.payload) == [payload])
            let fields = CredentialFields(facts)
            #expect(fields.homeAccountID == token.homeAccountID?.normalized())
            #expect(fields.environment == token.environment.normalized())
            #expect(fields.clientID == token.clientID.normalized())
            #expect(fields.realm == token.realm?.normalized())
            #expect(fields.familyID == token.familyID?.normalized())
            #expect(fields.target == token.target)
            #expect(fields.tokenType == (token.tokenType?.normalized() ?? "bearer"))
            #expect(fields.keyID == token.keyID)
            var isolation = token.isolation
            isolation.extendedKey = token.extendedKey?.hash
            #expect(fields.isolation == isolation)
            #expect(fields.cachedAt == token.cachedAt && fields.expiresOn == token.expiresOn)
            #expect(fields.lastModificationMicroseconds == token.lastModificationTime.map { $0 * 1_000_000 })
        }
    }

    @Test("a built entry has no null and no number where text belongs", arguments: KeyFormat.allCases)
    func strict(format: KeyFormat) throws {
        var random = RandomJSON(stream: 2100 + UInt64(format.rawValue))
        for _ in 0..<100 {
            for member in try Self.credential(&random).facts(format).members where !member.isSecret {
                let json = try #require(member.json)
                #expect(json.string.hasPrefix("\"") || member.known == .ext)
            }
        }
    }

    @Test("a merge changes its members and leaves every other in its place", arguments: 0..<6)
    func merge(part: UInt64) throws {
        var random = RandomJSON(stream: 2200 + part)
        for _ in 0..<100 {
            let extra = random.object(depth: 2, count: random.pick([1, 3, 6])).dropFirst().dropLast()
            let json = "{\"home_account_id\":\"h\",\(extra),\"name\":\"old\",\"username\":null}"
            let old = try parse(json, section: "Account").facts
            guard old.kind == .account else { continue }
            var new = NewAccount(homeAccountID: "h", environment: "e", realm: "r")
            new.name = Self.maybe(&random)
            new.givenName = Self.maybe(&random)
            let merged = try new.facts(mergedOver: old)
            let before = old.members
            let after = merged.members
            #expect(after.prefix(before.count).map(\.name) == before.map(\.name))
            for (was, now) in zip(before, after) where was.known == nil || was.known == .username {
                #expect(was == now)
            }
            #expect(merged.text(.name) == new.name ?? "old")
            #expect(merged.text(.givenName) == new.givenName)
            #expect(merged.text(.environment) == "e" && merged.text(.realm) == "r")
            #expect(Set(after.map(\.name)).count == after.count)
            #expect(try EntryFacts(decoding: merged.encoded()) == merged)
        }
    }
}
