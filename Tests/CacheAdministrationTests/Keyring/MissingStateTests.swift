// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A group in the keyring whose state file is missing", .serialized)
struct MissingStateTests {
    @Test(
        "is not made anew beside what the keyring has: the error names the way back, which works",
        arguments: [nil, "session"] as [String?]
    )
    func wayBack(collection: String?) throws {
        let fixture = try KeyringFixture()
        let group = try fixture.create(.keyring(collection: collection))
        try group.put(1)
        group.store.close()
        try FileManager.default.removeItem(atPath: fixture.scratch.path("group/store"))
        let expected = collection == nil ? StorageError.Code.groupElsewhere : .keyringItemMissing
        for access in [GroupAccess.readOnly, .readWrite, .create] {
            for storage in [StorageChoice.automatic, .keyring] {
                let error = #expect(throws: StorageError.self) {
                    try fixture.opener(storage, access: access).open()
                }
                #expect(error?.code == expected)
                #expect("\(TokenCacheError(try #require(error)))".contains("cachetool repair --adopt"))
            }
        }
        let listed = try #require(CacheGroup.list(root: fixture.scratch.path).first)
        #expect(listed.state == .unreadable && listed.problem?.code == .keyringItemMissing)
        #expect(try fixture.opener().adopt(collection: collection).wasDamaged == false)
        #expect(try fixture.open().has(1))
    }
}
