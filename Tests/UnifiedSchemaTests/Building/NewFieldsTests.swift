// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("Fields of new entries are known without reading them")
struct NewFieldsTests {
    /// Blank, padded, in upper case, or with characters that JSON escapes.
    private static let texts: [UTF8Text?] = [nil, "", " \t", " Padded ", "UPPER", "pl\"a\\in", "é", "plain"]

    @Test(
        "of credentials",
        arguments: [EntryKind.accessToken, .refreshToken, .idToken, .v1IDToken, .familyRefreshToken]
    )
    func credentials(kind: EntryKind) throws {
        var random = RandomJSON(stream: 2300 + UInt64(kind.rawValue))
        for _ in 0..<300 {
            var token = NewCredential(kind: kind, environment: " Login.Example ", clientID: "Client")
            token.homeAccountID = random.pick(Self.texts)
            token.realm = random.pick(Self.texts)
            token.familyID = random.pick(Self.texts)
            token.target = random.pick([nil, ScopeSet(" User.Read  openid "), ScopeSet("a")])
            token.isolation.assertionHash = random.pick(Self.texts)
            token.clientInfo = random.pick(Self.texts)
            token.cachedAt = random.pick([nil, 0, .max])
            token.expiresOn = random.pick([nil, -1, 5])
            token.extendedExpiresOn = random.pick([nil, 7])
            token.refreshOn = random.pick([nil, 3])
            token.lastModificationTime = random.pick([nil, 6])
            if kind == .accessToken {
                token.tokenType = random.pick([nil, "Bearer", "bearer", "pop", " Ssh-Cert ", ""])
                token.keyID = random.pick(Self.texts)
                token.isolation.claims = random.pick(Self.texts)
                token.isolation.application = random.pick(Self.texts)
            }
            guard let facts = try? token.facts(.standard) else { continue }
            #expect(token.fields == CredentialFields(facts))
        }
    }

    @Test("of accounts and applications")
    func others() throws {
        var random = RandomJSON(stream: 2400)
        for _ in 0..<300 {
            var account = NewAccount(homeAccountID: random.pick(Self.texts), environment: " Env ", realm: "R")
            account.realm = random.pick(Self.texts)
            account.localAccountID = random.pick(Self.texts)
            account.username = random.pick(Self.texts)
            if let facts = try? account.facts(.standard) { #expect(account.fields == CredentialFields(facts)) }
        }
        for family in ["", " ", "1", " Fam "] as [UTF8Text] {
            let metadata = NewAppMetadata(clientID: " C ", environment: "E", familyID: family)
            #expect(metadata.fields == CredentialFields(try metadata.facts(.standard)))
        }
    }

    @Test("an account that differs in one member from the old entry is not contained in it")
    func told() throws {
        let optional: [WritableKeyPath<NewAccount, UTF8Text?>] = [
            \.homeAccountID, \.realm, \.localAccountID, \.username, \.name, \.givenName, \.familyName, \.middleName,
            \.alternativeAccountID, \.clientInfo, \.accountSource,
        ]
        var account = NewAccount(homeAccountID: "h", environment: "e", realm: "r")
        for path in optional { account[keyPath: path] = "said" }
        let old = try account.facts()
        #expect(account.isContained(in: old))
        for path in optional {
            var other = account
            other[keyPath: path] = "another"
            #expect(!other.isContained(in: old))
            var silent = account
            silent[keyPath: path] = nil
            #expect(try silent.isContained(in: old) == (silent.facts(mergedOver: old) == old))
        }
        for path in [\NewAccount.environment, \.authorityType] {
            var other = account
            other[keyPath: path] = "another"
            #expect(!other.isContained(in: old))
        }
    }

    @Test("times are written as decimal digits", arguments: [.min, -10, -1, 0, 9, 10, 1_700_000_000, .max] as [Int64])
    func times(seconds: Int64) throws {
        var token = NewCredential(kind: .idToken, environment: "e", clientID: "c")
        token.lastModificationTime = seconds
        #expect(try token.facts().text(.lastModificationTime)?.string == String(seconds))
    }
}
