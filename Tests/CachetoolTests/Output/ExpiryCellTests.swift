// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Testing
import TokenCaching

@testable import cachetool

@Suite("The expiry of an entry in a list")
struct ExpiryCellTests {
    private static let now: Int64 = 1_700_000_000

    @Test(
        "is coloured if lookups ignore the token",
        arguments: [
            (#""s""#, now - 600, now + 3_000, "in 50 min", "plain"),
            (#""s""#, now - 3_400, now + 200, "in 3 min", "warning"),
            (#""s""#, now - 600, now - 60, "1 min ago", "bad"), (#"" ""#, now - 600, now + 3_000, "in 50 min", "plain"),
            (#""s""#, now - 600, (now + 3_000) * 1_000, "in over 100 y", "warning"),
            (#""s""#, now + 2_000, now + 3_000, "in 50 min", "warning"),
        ]
    )
    func expiry(secret: String, cachedAt: Int64, expiresOn: Int64, text: String, style: String) throws {
        let group = try CacheGroup.open("cells", root: "/nonexistent", storage: .memory, access: .create)
        let document = """
            {"AccessToken": {"k": {"secret": \(secret), "home_account_id": "a.b", "environment": "e", "client_id": "c",
            "target": "t", "cached_at": \(cachedAt), "expires_on": \(expiresOn)}}}
            """
        try group.importEntries(from: .bytes(Array(document.utf8)))
        var cells: [TableCell] = []
        try group.forEachEntry { (entry) throws(TokenCacheError) in
            cells.append(.expiry(entry, now: Timestamp(secondsSince1970: Self.now)))
        }
        #expect(cells.map(\.text) == [text] && cells.map { "\($0.style)" } == [style])
    }
}
