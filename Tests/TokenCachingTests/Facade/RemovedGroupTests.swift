// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import GroupDirectory
import RecordStorage
import Testing
import TokenCaching

@testable import TokenCachingTestSupport

@Suite("Calls on a group that was removed meanwhile")
struct RemovedGroupTests {
    @Test("a removed group is reported as removed, never as damaged", arguments: HandleCall.onGroups)
    func removed(call: HandleCall) throws {
        let fixture = GroupFixture()
        let handles = try GroupHandles(fixture)
        _ = try GroupReference("group", root: fixture.scratch.path).remove()
        do {
            try call.run(handles)
        } catch let error as TokenCacheError {
            #expect(error.code == .storageMoved, "\(error)")
        }
    }

    /// As a process does that opened the folder before it was retired.
    @Test("a file that another process adds while the group is removed goes with it", arguments: 0..<12)
    func filesAddedMeanwhile(unlinkCount: Int) throws {
        let fixture = GroupFixture()
        let root = fixture.scratch.path
        try fixture.create().store.close()
        let add = SyscallFaults.Fault(before: .unlink, after: unlinkCount) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
            for name in names where name.contains(".removed-") {
                _ = FileManager.default.createFile(atPath: "\(root)/\(name)/leases", contents: nil)
            }
        }
        let report = try SyscallFaults.with([add]) { () throws(TokenCacheError) in
            try GroupReference("group", root: root).remove()
        }
        #expect(report.isComplete, "\(report.kept)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: root).filter { $0 != ".keys" } == [])
    }
}
