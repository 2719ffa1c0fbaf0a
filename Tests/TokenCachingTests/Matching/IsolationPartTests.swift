// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Goes through the parts one by one, without naming them: whoever adds one is told here where it was forgotten.
@Suite("Each part that keeps a token apart does so everywhere")
struct IsolationPartTests {
    /// For each part, what has that part alone, with one value and with another.
    static let parts: [(one: Isolation<String?>, other: Isolation<String?>)] = {
        var count = 0
        let numbers = Isolation(repeating: ()).map { _ in
            count += 1
            return count
        }
        return (1...count).map { number in
            (
                numbers.map { $0 == number ? "part-\(number)" : nil },
                numbers.map { $0 == number ? "other-\(number)" : nil }
            )
        }
    }()

    private static func token(_ isolation: Isolation<String?>) -> NewCredential {
        var token = NewCredential(
            kind: .accessToken,
            homeAccountID: UTF8Text(TestGroup.account),
            environment: "login.windows.net",
            clientID: UTF8Text(TestGroup.client),
            realm: "utid"
        )
        token.target = "user.read"
        (token.cachedAt, token.expiresOn) = (TestEntry.start - 600, TestEntry.start + 3000)
        token.isolation = isolation.map { $0.map { UTF8Text($0) } }
        return token
    }

    @Test("it is written, and read again, whichever library's form an entry has", arguments: 0..<parts.count)
    func writing(index: Int) throws {
        let part = Self.parts[index].one
        for format in KeyFormat.allCases {
            let facts = try Self.token(part).facts(format)
            let fields = CredentialFields(facts)
            #expect(!fields.isolation.isNone)
            #expect(fields.isolation.comparable == Self.token(part).isolation.comparable)
            #expect(fields.isolation == Self.token(part).fields.isolation)
        }
    }

    @Test("a member that says it in another form than a text makes an entry no token", arguments: 0..<parts.count)
    func malformed(index: Int) throws {
        let plain = try Self.token(Isolation(repeating: nil)).facts()
        for format in KeyFormat.allCases {
            let facts = try Self.token(Self.parts[index].one).facts(format)
            let added = MemberName.allCases.filter { name in
                !plain.has(name) && facts.text(name)?.string == "part-\(index + 1)"
            }
            for name in added {
                let facts = try TestEntry.accessToken().with("\(name.text)", json: "5").parsed().facts
                #expect(facts.kind == .opaque || facts.lacksToken, "\(name)")
            }
            #expect(!added.isEmpty)
        }
    }

    @Test("queries and requests name it", arguments: 0..<parts.count)
    func naming(index: Int) {
        var options = TokenQueryOptions()
        options.isolation = Self.parts[index].one
        #expect(options.isolation == Self.parts[index].one)
        var request = TestResponse.signIn().request
        request.isolation = Self.parts[index].one
        #expect(request.isolation == Self.parts[index].one)
    }

    @Test("a query gets the token that is kept apart as it says, and no other", arguments: 0..<parts.count)
    func lookup(index: Int) throws {
        let group = try TestGroup()
        let cache = try group.cache()
        let (one, other) = Self.parts[index]
        func save(_ secret: String, _ isolation: Isolation<String?>) throws {
            let response = TestResponse.signIn(accessToken: secret, refreshToken: nil)
            var request = response.request
            request.isolation = isolation
            _ = try cache.save(TokenResponse(json: response.body), for: request)
        }
        func found(_ isolation: Isolation<String?>) throws -> String? {
            var options = TokenQueryOptions()
            options.isolation = isolation
            let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["user.read"], options: options)
            guard case .valid(let token) = try cache.token(for: query) else { return nil }
            return try token.secretString
        }
        try save("one", one)
        #expect(try found(one) == "one")
        #expect(try found(other) == nil && found(Isolation(repeating: nil)) == nil)
        try save("other", other)
        try save("plain", Isolation(repeating: nil))
        #expect(try found(one) == "one" && found(other) == "other" && found(Isolation(repeating: nil)) == "plain")
        try save("newer", one)
        #expect(try found(one) == "newer" && found(other) == "other" && found(Isolation(repeating: nil)) == "plain")
        #expect(try group.secrets(\.isAccessToken) == ["newer", "other", "plain"])
    }

    @Test("an import distinguishes the tokens", arguments: 0..<parts.count)
    func identity(index: Int) throws {
        let (one, other) = Self.parts[index]
        let identities = try [one, other, Isolation(repeating: nil)].map { isolation in
            let facts = try Self.token(isolation).facts()
            return EntryIdentity(facts, CredentialFields(facts), clouds: .builtIn)
        }
        #expect(Set(identities).count == 3)
    }

    @Test("a refusal of a request for one says nothing of the others", arguments: 0..<parts.count)
    func refusals(index: Int) {
        let (one, other) = Self.parts[index]
        let asked = [one, other, Isolation(repeating: nil)].map { isolation in
            var options = TokenQueryOptions()
            options.isolation = isolation
            let terms = PreparedQuery(
                .homeAccountID,
                account: "uid.utid",
                scopes: ["a"],
                tenant: nil,
                environment: nil,
                options: options
            )
            return AskedToken(terms, client: TestGroup.client)
        }
        #expect(Set(asked).count == 3)
    }
}
