// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Testing
import TokenCaching

@testable import TokenCachingTestSupport

@Suite("Caches of other libraries in memory")
struct PeerCacheReaderTests {
    private func document(_ users: String...) -> ImportSource {
        .bytes(Document.sections(["AccessToken": users.map { Document.accessToken(user: $0) }]).bytes)
    }

    private func handles(_ group: CacheGroup) throws -> Set<EntryHandle> {
        var handles: Set<EntryHandle> = []
        try group.forEachEntry(readingNewest: false) { handles.insert($0.handle) }
        return handles
    }

    @Test("several documents are merged, and a group keeps what was read before it was made")
    func merged() throws {
        let reader = try PeerCacheReader()
        try reader.read(document("one.t"))
        let early = try reader.group()
        let report = try reader.read(document("one.t", "two.t"))
        #expect(report.counts.new == 1)
        #expect(report.counts.unchanged == 1)
        #expect(try handles(reader.group()).count == 2)
        #expect(try handles(early).count == 1)
    }

    @Test("the handle of an entry is the same in every reader")
    func handles() throws {
        let (one, other) = (try PeerCacheReader(), try PeerCacheReader())
        try one.read(document("one.t", "two.t"))
        try other.read(document("two.t", "three.t"))
        #expect(try handles(one.group()).intersection(handles(other.group())).count == 1)
    }

    @Test("the group cannot be changed")
    func readOnly() throws {
        let reader = try PeerCacheReader()
        try reader.read(document("one.t"))
        let group = try reader.group()
        #expect(throws: TokenCacheError.self) { try group.importEntries(from: document("two.t")) }
        #expect(throws: TokenCacheError.self) { try group.clearAll() }
        #expect(group.readOnlyReason?.code == .readOnly)
        #expect(group.location.folder == nil)
        #expect(try handles(group).count == 1)
    }
}
