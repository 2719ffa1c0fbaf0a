// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("An export that others overtake")
struct OvertakenExportTests {
    let fixture = GroupFixture()

    /// What happens to the group once the export has written some entries.
    enum Event: CaseIterable {
        case newKeys, cleared
    }

    /// Where it is written.
    enum Place: CaseIterable {
        case path, endOfFile
    }

    private func document(secretByteCount: Int) -> Document {
        let secret = String(repeating: "s", count: secretByteCount)
        return .sections(["AccessToken": (0..<200).map { Document.accessToken(user: "u\($0).t", secret: secret) }])
    }

    private func group(_ document: Document) throws -> CacheGroup {
        let group = try fixture.createGroup()
        try group.take(document)
        return group
    }

    /// Lets it happen at the first call, or at every one.
    private func handler(
        _ event: Event,
        onlyOnce: Bool = true,
        first: @escaping () -> Void = {}
    ) throws -> ProgressHandler {
        let other = CacheGroup(try fixture.open(), timeout: .seconds(20))
        var isDone = false
        return { _ in
            if isDone, onlyOnce { return .proceed }
            if !isDone { first() }
            isDone = true
            do {
                switch event {
                case .newKeys: _ = try other.rekey()
                case .cleared: _ = try other.clearAll()
                }
            } catch {
                Issue.record(error)
            }
            return .proceed
        }
    }

    @Test("starts over if the output can be discarded", arguments: Event.allCases, Place.allCases)
    func restarts(event: Event, location: Place) throws {
        let document = document(secretByteCount: 4_000)
        let group = try group(document)
        let path = fixture.scratch.path("out.json")
        let before: [UInt8] = location == .path ? [] : Array("before".utf8)
        fixture.scratch.write(before, to: "out.json")
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        let report = try group.exportEntries(
            to: location == .path ? .path(path) : .descriptor(file.fileDescriptor),
            progress: handler(event)
        )
        let written = try #require(FileManager.default.contents(atPath: path))
        let expected = event == .newKeys ? document : Document("{}")
        #expect(Document(Array(written.dropFirst(before.count))).value == expected.value)
        #expect(Array(written.prefix(before.count)) == before)
        #expect(report.entryCount == (event == .newKeys ? 200 : 0))
        #expect(report.byteCount == UInt64(written.count - before.count))
        #expect(!fixture.scratch.files.contains { $0.hasPrefix(".out") })
    }

    @Test("into a sink starts over as long as the sink has received nothing")
    func untouchedSink() throws {
        let document = document(secretByteCount: 100)
        let group = try group(document)
        let pieces = Pieces()
        var isOvertaken = false
        let report = try group.exportEntries(
            to: .sink { (bytes) throws(TokenCacheError) in pieces.append(bytes) },
            progress: handler(.newKeys) {
                isOvertaken = true
                #expect(pieces.bytes.isEmpty)
            }
        )
        #expect(isOvertaken)
        #expect(report.entryCount == 200)
        #expect(Document(pieces.bytes).value == document.value)
    }

    @Test("ends with a typed error where bytes are out already")
    func usedSink() throws {
        let group = try group(document(secretByteCount: 40_000))
        let error = #expect(throws: TokenCacheError.self) {
            try group.exportEntries(to: .sink { (_) throws(TokenCacheError) in }, progress: handler(.newKeys))
        }
        #expect(error?.code == .busy)
    }

    @Test("gives up when it is overtaken again and again, and leaves the old file")
    func hopeless() throws {
        let group = try group(document(secretByteCount: 100))
        let path = fixture.scratch.write([1, 2, 3], to: "out.json")
        let error = #expect(throws: TokenCacheError.self) {
            try group.exportEntries(to: .path(path), progress: handler(.newKeys, onlyOnce: false))
        }
        #expect(error?.code == .busy)
        #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
    }
}
