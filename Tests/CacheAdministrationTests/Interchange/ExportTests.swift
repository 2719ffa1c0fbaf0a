// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupRecords
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Exporting")
struct ExportTests {
    let fixture = GroupFixture()
    static let document = Document.sections([
        "AccessToken": [Document.accessToken()], "Account": [Document.account()],
    ])

    private func group() throws -> CacheGroup {
        let group = try fixture.createGroup()
        try group.take(Self.document)
        return group
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a file is written for this user only, and takes the place of the one that was there")
    func file() throws {
        let group = try group()
        let path = fixture.scratch.write([1, 2, 3], to: "out.json", mode: 0o644)
        let report = try group.exportEntries(to: .path(path))
        let written = try #require(FileManager.default.contents(atPath: path))
        #expect(Document(Array(written)).value == Self.document.value)
        #expect(report.byteCount == UInt64(written.count))
        #expect(report.entryCount == 2)
        #expect(try mode(path) == 0o600)
    }

    @Test("an export that fails leaves the old file and no other one")
    func atomic() throws {
        let group = try group()
        let path = fixture.scratch.write([1, 2, 3], to: "out.json")
        let before = fixture.scratch.files
        let error = #expect(throws: TokenCacheError.self) {
            try group.exportEntries(to: .path(path), progress: { _ in .cancel })
        }
        #expect(error?.code == .cancelled)
        #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
        #expect(fixture.scratch.files == before)
    }

    @Test("a link stays, and the file that it leads to is replaced")
    func link() throws {
        let group = try group()
        let target = fixture.scratch.write([1], to: "target.json")
        try FileManager.default.createSymbolicLink(atPath: fixture.scratch.path("link"), withDestinationPath: target)
        _ = try group.exportEntries(to: .path(fixture.scratch.path("link")))
        #expect(FileManager.default.contents(atPath: target)?.count ?? 0 > 10)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: fixture.scratch.path("link")) == target)
    }

    @Test("a device is written into and not replaced")
    func device() throws {
        _ = try group().exportEntries(to: .path("/dev/null"))
        let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        #expect(type == .typeCharacterSpecial)
    }

    @Test("a folder, a folder that is not there and no path are refused")
    func refused() throws {
        let group = try group()
        for (path, code) in [
            (fixture.scratch.path, TokenCacheError.Code.unsafeFile), (fixture.scratch.path("no/out.json"), .notFound),
            ("", .invalidRequest),
        ] {
            let error = #expect(throws: TokenCacheError.self) { try group.exportEntries(to: .path(path)) }
            #expect(error?.code == code)
        }
    }

    @Test("a descriptor is written from its current offset and stays open")
    func descriptor() throws {
        let group = try group()
        let path = fixture.scratch.write([], to: "out.json")
        let handle = try #require(FileHandle(forWritingAtPath: path))
        _ = try group.exportEntries(to: .descriptor(handle.fileDescriptor))
        handle.write(Data("\n".utf8))
        let written = try #require(FileManager.default.contents(atPath: path))
        #expect(Document(Array(written)).value == Self.document.value)
    }

    @Test("an error thrown by the sink ends the export")
    func sink() throws {
        let group = try group()
        let error = #expect(throws: TokenCacheError.self) {
            try group.exportEntries(to: .sink { (_) throws(TokenCacheError) in throw TokenCacheError(.full) })
        }
        #expect(error?.code == .full)
    }

    @Test("the engine's own records are not exported")
    func engineRecords() throws {
        let group = try fixture.createGroup()
        try group.note(.signedIn, client: "client", account: "uid.utid")
        #expect(try group.give().text == "{}")
    }

    @Test("a group that is open for reading is exported")
    func readOnly() throws {
        _ = try group()
        let reading = CacheGroup(try fixture.open(access: .readOnly))
        #expect(try reading.give().value == Self.document.value)
    }

    @Test("an indented document has one member a line")
    func indented() throws {
        let text = try group().give(ExportOptions(isIndented: true)).text
        #expect(text.hasPrefix("{\n    \"AccessToken\": {\n        \""))
        #expect(text.hasSuffix("}\n"))
    }
}
