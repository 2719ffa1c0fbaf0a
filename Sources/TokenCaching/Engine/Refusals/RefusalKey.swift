internal import UnifiedSchema

/// What a note of a refusal is about. Notes about the same thing take each other's place.
struct RefusalKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// What a query asks for, for its client and account: tenant, scopes, claims, scheme, key, and what it is kept apart by.
    static func request(_ terms: QueryTerms, client: String) -> RefusalKey {
        RefusalKey(1, query(terms, client))
    }

    /// That the scopes of such a query were not all granted.
    static func scopes(_ terms: QueryTerms, client: String) -> RefusalKey {
        RefusalKey(2, query(terms, client))
    }

    /// A refresh token, by the number of its lease: all copies of it have one.
    static func token(_ number: UInt64, client: String) -> RefusalKey {
        RefusalKey(3, [client, String(number)])
    }

    /// A server, as far as it serves the client's requests for a tenant.
    static func server(_ host: String, tenant: String, client: String) -> RefusalKey {
        RefusalKey(4, [client, host, tenant])
    }

    private init(_ sort: UInt8, _ parts: [String]) {
        var bytes = [sort]
        for part in parts {
            // With its length in front, so that no two lists of parts look the same.
            var count = UInt32(truncatingIfNeeded: part.utf8.count)
            for _ in 0..<4 {
                bytes.append(UInt8(truncatingIfNeeded: count))
                count >>= 8
            }
            bytes += part.utf8
        }
        self.bytes = bytes
    }

    private static func query(_ terms: QueryTerms, _ client: String) -> [String] {
        var parts = [client]
        for range in [terms.tenant, terms.claims, terms.tokenType, terms.keyID] {
            parts.append(terms.text(range) ?? "")
        }
        let isolation = terms.isolation
        for range in [isolation?.claims, isolation?.extendedKey, isolation?.application, isolation?.assertion] {
            parts.append(terms.text(range) ?? "")
        }
        return parts + terms.scopeTexts.sorted()
    }
}
