// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching

/// One rule of matching: what is stored, what is asked, what comes of it.
struct MatchingCase: CustomTestStringConvertible, Sendable {
    let rule: String
    let stored: [TestEntry]
    let query: TokenQuery
    let expected: String

    init(_ rule: String, _ stored: [TestEntry], _ query: TokenQuery, _ expected: String) {
        self.rule = rule
        self.stored = stored
        self.query = query
        self.expected = expected
    }

    var testDescription: String { rule }

    func check() throws {
        let group = try TestGroup()
        try group.put(stored.enumerated().map { $1.under("key \($0)") })
        let cache = try group.cache()
        #expect(try cache.token(for: query).summary() == expected)
        // Once more, from the query's memory.
        #expect(try cache.token(for: query).summary() == expected)
    }

    static func query(
        _ scopes: String...,
        account: String = TestGroup.account,
        tenant: String? = "utid",
        environment: String? = "login.microsoftonline.com",
        options: TokenQueryOptions = TokenQueryOptions()
    ) -> TokenQuery {
        TokenQuery(
            accountID: Account.ID(account),
            scopes: scopes,
            tenant: tenant,
            environment: environment,
            options: options
        )
    }
}
