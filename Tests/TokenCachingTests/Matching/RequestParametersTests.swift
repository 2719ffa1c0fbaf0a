// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching

/// The parameters that isolate tokens: which are accepted, and that each has a key of its own.
@Suite struct RequestParametersTests {
    @Test(arguments: [
        ["client_secret": "x"], ["CLIENT_ID": "x"], ["scope": "x"], ["refresh_token": "x"], ["": "x"], ["a b": "x"],
        ["a=b": "x"], ["ä": "x"], ["a\n": "x"], ["a": ""], ["a": " "],
        ["a": "x\ny"], ["a": "x\u{0}"], ["a": "\u{85}"], ["audience": "x\ry"], ["audience": "\u{1B}[0m"],
        ["Audience": "x"], ["RESOURCE": "https://api.example/"], ["resource": "api.example"], ["resource": "https:"],
        ["resource": ":x"],
        ["resource": "1a:x"], ["resource": "https://api.example/#part"], ["resource": "https://api.example/a b"],
        ["resource": "https://api.example/ä"], ["a": "x", "nonce": "y"],
    ])
    func refused(_ parameters: [String: String]) {
        let error = #expect(throws: TokenCacheError.self) { try ExtendedCacheKey(requestParameters: parameters) }
        #expect(error?.code == .invalidRequest && error?.detail?.isEmpty == false)
    }

    @Test(arguments: [
        "my_secret", "userPassword", "passwd", "Passphrase", "key-passphrase", "api_key", "x-API-Key", "api.key",
        "apikey", "private_key", "privateKey", "credential", "user_credentials", "access-token", "refreshtoken",
        "session_token", "TOKEN", "bearer", "Bearer",
    ])
    func `the name of a secret is refused, however its words are joined`(_ name: String) {
        let error = #expect(throws: TokenCacheError.self) { try ExtendedCacheKey(requestParameters: [name: "x"]) }
        #expect(error?.code == .invalidRequest && error?.detail?.isEmpty == false)
    }

    @Test(arguments: ["key", "api", "pass", "tokens_per_day", "tokenization", "bearer_method", "x-tenancy"])
    func `a name that is merely similar to a secret's is not refused`(_ name: String) throws {
        #expect(try ExtendedCacheKey(requestParameters: [name: "x"]) != nil)
    }

    @Test func `every name of the table is refused, in any case, and none is twice in it`() {
        let names = RequestParameters.reserved.flatMap(\.names)
        #expect(Set(names).count == names.count && names.allSatisfy { $0 == $0.lowercased() })
        for name in names + names.map({ $0.uppercased() }) {
            #expect(throws: TokenCacheError.self, "\(name)") { try ExtendedCacheKey(requestParameters: [name: "x"]) }
        }
    }

    @Test func `different parameters have different keys, and the same ones that of their components`() throws {
        let all: [[String: String]] = [
            ["resource": "https://api.example/"], ["resource": "https://api.example"], ["resource": "urn:api"],
            ["audience": "urn:api"], ["audience": "aresource1:b", "x": "y"], ["audience": "a", "resource": "b:x"],
            ["audience": "é"], ["audience": "e\u{301}"], ["fmi_path": "a b&c=d"], ["x-y.z": "1"], ["ab": "c"],
            ["a": "bc"],
        ]
        let keys = try all.map { try #require(try ExtendedCacheKey(requestParameters: $0)) }
        #expect(Set(keys).count == all.count)
        #expect(keys == all.map { ExtendedCacheKey(components: $0) })
        #expect(try ExtendedCacheKey(requestParameters: [:]) == nil)
    }
}
