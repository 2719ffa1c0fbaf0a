// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Testing
import TokenCaching

@testable import TokenCachingTestSupport

@Suite("Calls on a group that was removed meanwhile")
struct RemovedGroupTests {
    @Test("a removed group is reported as removed, never as damaged", arguments: HandleCall.onGroups)
    func removed(call: HandleCall) throws {
        let fixture = GroupFixture()
        let handles = try GroupHandles(fixture)
        _ = try CacheGroup.remove("group", root: fixture.scratch.path)
        do {
            try call.run(handles)
        } catch let error as TokenCacheError {
            #expect(error.code == .storageMoved, "\(error)")
        }
    }
}
