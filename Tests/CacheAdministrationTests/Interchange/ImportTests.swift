// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import Synchronization
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Importing")
struct ImportTests {
    let fixture = GroupFixture()

    private func group() throws -> CacheGroup { try fixture.createGroup() }

    private func counts(_ report: ImportReport, _ kind: String) -> ImportCounts? {
        report.countsByKind.first { $0.key.name == kind }?.value
    }

    // MARK: - Older and newer

    @Test("an older copy never puts an older token over a newer one")
    func olderCopy() throws {
        let group = try group()
        try group.take(.sections(["AccessToken": [Document.accessToken(secret: "new", cachedAt: 2_000)]]))
        let report = try group.take(.sections(["AccessToken": [Document.accessToken(secret: "old", cachedAt: 1_000)]]))
        #expect(counts(report, "AccessToken")?.older == 1)
        #expect(!report.hasChanges)
        #expect(try group.give().text.contains("\"new\""))
    }

    @Test(
        "a hash of an assertion is one hash in each of its spellings",
        arguments: [
            "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
        ]
    )
    func assertionHash(spelling: String) throws {
        func token(_ hash: String, key: String, secret: String, modified: Int) -> String {
            let more = ", \"user_assertion_hash\": \"\(hash)\""
            return Document.refreshToken(key: key, secret: secret, modified: modified, more: more)
        }
        let group = try group()
        let new = token("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", key: "one", secret: "new", modified: 2_000)
        try group.take(.sections(["RefreshToken": [new]]))
        let old = token(spelling, key: "two", secret: "old", modified: 1_000)
        let report = try group.take(.sections(["RefreshToken": [old]]))
        #expect(counts(report, "RefreshToken")?.older == 1)
        let other = token("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", key: "three", secret: "other", modified: 1_000)
        #expect(counts(try group.take(.sections(["RefreshToken": [other]])), "RefreshToken")?.new == 1)
    }

    @Test("the report contains the number of bytes read", arguments: [1, 20_000])
    func byteCount(count: Int) throws {
        let tokens = (0..<count).map { Document.accessToken(user: "u\($0).t") }
        let text = Document.sections(["AccessToken": tokens]).text + String(repeating: " ", count: 7) + "\n"
        let group = try group()
        let report = try group.importEntries(from: .bytes(Array(text.utf8)))
        #expect(report.byteCount == UInt64(text.utf8.count))
        #expect(report.counts.new == count)
    }

    @Test("a newer token takes the place of an older one")
    func newerCopy() throws {
        let group = try group()
        try group.take(.sections(["AccessToken": [Document.accessToken(secret: "old", cachedAt: 1_000)]]))
        let report = try group.take(.sections(["AccessToken": [Document.accessToken(secret: "new", cachedAt: 2_000)]]))
        #expect(counts(report, "AccessToken")?.replaced == 1)
        #expect(try !group.give().text.contains("\"old\""))
    }

    @Test("if it is unknown which one is newer, the stored one stays", arguments: [nil, 1_000])
    func doubt(modified: Int?) throws {
        let group = try group()
        try group.take(.sections(["RefreshToken": [Document.refreshToken(secret: "mine", modified: modified)]]))
        let other = Document.sections(["RefreshToken": [Document.refreshToken(secret: "theirs", modified: modified)]])
        #expect(try counts(group.take(other), "RefreshToken")?.older == 1)
        #expect(try group.give().text.contains("mine"))
    }

    @Test("the time of modification decides where there is no time of caching")
    func modification() throws {
        let group = try group()
        try group.take(.sections(["RefreshToken": [Document.refreshToken(secret: "first", modified: 1_000)]]))
        let newer = Document.sections(["RefreshToken": [Document.refreshToken(secret: "second", modified: 1_001)]])
        #expect(try counts(group.take(newer), "RefreshToken")?.replaced == 1)
    }

    @Test("an old refresh token does not come back under another key")
    func otherKey() throws {
        let group = try group()
        try group.take(.sections(["RefreshToken": [Document.refreshToken(key: "new key", secret: "new")]]))
        let old = Document.sections(["RefreshToken": [Document.refreshToken(key: "old key", secret: "old")]])
        #expect(try counts(group.take(old), "RefreshToken")?.older == 1)
        #expect(try group.give().keys("RefreshToken") == ["new key"])
    }

    @Test("a newer refresh token comes in beside an older one under another key")
    func newerUnderOtherKey() throws {
        let group = try group()
        try group.take(.sections(["RefreshToken": [Document.refreshToken(key: "old", modified: 1_000)]]))
        let newer = Document.sections(["RefreshToken": [Document.refreshToken(key: "new", modified: 2_000)]])
        #expect(try counts(group.take(newer), "RefreshToken")?.new == 1)
        #expect(try group.give().keys("RefreshToken") == ["new", "old"])
    }

    @Test("an account comes in beside the same one under another key")
    func accountUnderOtherKey() throws {
        let group = try group()
        let account = Document.account()
        try group.take(.sections(["Account": [account]]))
        let key = "uid.utid-login.windows.net-contoso"
        let other = account.replacingOccurrences(of: "\"\(key)\"", with: "\"other key\"")
        #expect(try counts(group.take(.sections(["Account": [other]])), "Account")?.new == 1)
        #expect(try group.give().keys("Account") == ["other key", key])
    }

    @Test("tokens for other scopes, clients, accounts and keys are independent")
    func distinct() throws {
        let group = try group()
        try group.take(.sections(["AccessToken": [Document.accessToken(key: "1", cachedAt: 2_000)]]))
        let others = [
            Document.accessToken(key: "2", scopes: "mail.read"), Document.accessToken(key: "3", client: "two"),
            Document.accessToken(key: "4", user: "other.utid"),
            Document.accessToken(key: "5", more: #", "token_type": "pop", "kid": "x""#),
        ]
        let report = try group.take(.sections(["AccessToken": others]))
        #expect(counts(report, "AccessToken")?.new == 4)
    }

    @Test("a bound token is not lost because the other section contains the same one")
    func otherSection() throws {
        let group = try group()
        let bound = #", "token_type": "pop", "kid": "x""#
        try group.take(.sections(["AccessToken_With_AuthScheme": [Document.accessToken(key: "1", more: bound)]]))
        let common = Document.sections(["AccessToken": [Document.accessToken(key: "2", secret: "other", more: bound)]])
        #expect(try group.take(common).counts.new == 1)
        #expect(try group.give().keys("AccessToken") == ["2"])
        #expect(try group.give().keys("AccessToken_With_AuthScheme") == ["1"])
    }

    @Test("aliases of one cloud are one environment when ages are compared")
    func aliases() throws {
        let group = try group()
        let token = Document.accessToken(key: "1", cachedAt: 2_000)
        try group.take(.sections(["AccessToken": [token]]))
        let alias = Document.accessToken(key: "2", cachedAt: 1_000)
            .replacingOccurrences(of: "login.windows.net", with: "login.microsoftonline.com")
        #expect(try counts(group.take(.sections(["AccessToken": [alias]])), "AccessToken")?.older == 1)
    }

    @Test("replacing overwrites every entry that differs, and only those")
    func replacing() throws {
        let group = try group()
        let same = Document.account()
        try group.take(
            .sections(["AccessToken": [Document.accessToken(secret: "new", cachedAt: 2_000)], "Account": [same]])
        )
        let old = Document.sections(["AccessToken": [Document.accessToken(secret: "old")], "Account": [same]])
        let report = try group.take(old, ImportOptions(replacesNewer: true))
        #expect(counts(report, "AccessToken")?.replaced == 1)
        #expect(counts(report, "Account")?.unchanged == 1)
        #expect(try group.give().value == old.value)
    }

    // MARK: - Bad entries

    static let bad = Document(
        """
        {"AccessToken": {"a": 5, "k": {"foo": 1}, "b": [], "k": {}},
        "RefreshToken": "text", "Account": {"c": {"x": 1, "x": 2}, "good": {"x": 1}}}
        """
    )

    @Test("one bad entry prevents the import, and all bad ones are reported with their positions")
    func badEntries() throws {
        let group = try group()
        let journal = fixture.contents("journal")
        var problems: [ImportProblem] = []
        let error = #expect(throws: TokenCacheError.self) {
            try group.importEntries(from: .bytes(Self.bad.bytes), onProblem: { problems.append($0) })
        }
        #expect(error?.code == .malformedDocument)
        #expect(problems.map(\.line) == [1, 1, 1, 2, 2])
        #expect(problems.allSatisfy { !$0.rule.isEmpty })
        #expect(error?.byteOffset.map(UInt64.init) == problems.first?.byteOffset)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("no more bad entries are listed than asked for, and all of them count", arguments: [0, 1, 3, 100])
    func listedProblems(limit: Int) throws {
        var problems: [ImportProblem] = []
        let report = try group().importEntries(
            from: .bytes(Self.bad.bytes),
            options: ImportOptions(skipsBadEntries: true, maximumListedProblems: limit),
            onProblem: { problems.append($0) }
        )
        #expect(problems.count == min(limit, 5))
        #expect(report.badCount == 5)
    }

    @Test("bad entries can be skipped")
    func partial() throws {
        let group = try group()
        let report = try group.take(Self.bad, ImportOptions(skipsBadEntries: true))
        #expect(report.badCount == 5)
        #expect(report.counts.new == 2)
        #expect(try group.give().keys("Account") == ["good"])
    }

    @Test(
        "invalid JSON changes nothing, whatever is skipped",
        arguments: [
            "", " ", "[]", "5", "null", "{", "{}{}", #"{"a": }"#, #"{"AccessToken": {"k": {"secret": "s}}"#,
            "{\"AccessToken\": {\"k\": {\"a\": \"\u{1}\"}}}", "\u{feff}",
        ]
    )
    func malformed(text: String) throws {
        let group = try group()
        let journal = fixture.contents("journal")
        let error = #expect(throws: TokenCacheError.self) {
            try group.take(Document(text), ImportOptions(skipsBadEntries: true))
        }
        #expect(error?.code == .malformedDocument)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("errors and problems never show content")
    func noContent() throws {
        let group = try group()
        let text = #"{"AccessToken": {"CANARY-KEY": "CANARY-SECRET", "CANARY-KEY": {}}, "RefreshToken": {"CANARY": }}"#
        var shown = ""
        do throws(TokenCacheError) {
            _ = try group.importEntries(from: .bytes(Array(text.utf8)), onProblem: { shown += "\($0)" })
        } catch {
            shown += "\(error)"
            dump(error, to: &shown)
        }
        #expect(!shown.isEmpty)
        #expect(!shown.contains("CANARY"))
    }

    // MARK: - Limits

    @Test("a document beyond a limit is refused")
    func limits() throws {
        let group = try group()
        let secret = String(repeating: "x", count: 500)
        let document = Document.sections(["AccessToken": [Document.accessToken(secret: secret)]])
        for options in [
            ImportOptions(maximumByteCount: 100), ImportOptions(maximumEntryByteCount: 100),
        ] {
            let error = #expect(throws: TokenCacheError.self) { try group.take(document, options) }
            #expect(error?.code == .tooLarge)
        }
        let deep = Document(#"{"x": "# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}")
        #expect(throws: TokenCacheError.self) { try group.take(deep) }
        try group.take(deep, ImportOptions(maximumDepth: 64))
    }

    @Test("an entry of nearly 960 KiB is kept")
    func longestEntry() throws {
        let group = try group()
        let secret = String(repeating: "x", count: (960 << 10) - 1_000)
        let document = Document.sections([
            "AccessToken": [Document.accessToken(secret: secret)], "other": [#""k": "\#(secret)""#],
        ])
        try group.take(document)
        #expect(try group.give().value == document.value)
    }

    @Test("a longer entry is refused, whatever the options say")
    func tooLongEntry() throws {
        let secret = String(repeating: "x", count: 960 << 10)
        let document = Document.sections(["AccessToken": [Document.accessToken(secret: secret)]])
        let error = #expect(throws: TokenCacheError.self) {
            try group().take(document, ImportOptions(maximumEntryByteCount: 2 << 20))
        }
        #expect(error?.code == .tooLarge)
    }

    // MARK: - Sources

    @Test("a file, a descriptor and a pipe give the same")
    func sources() throws {
        let document = Document.sections(["AccessToken": [Document.accessToken()], "Account": [Document.account()]])
        let path = fixture.scratch.write(document.bytes, to: "cache.json")
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(document.bytes))
        try pipe.fileHandleForWriting.close()
        let handle = try #require(FileHandle(forReadingAtPath: path))
        let sources: [ImportSource] = [
            .path(path), .descriptor(handle.fileDescriptor), .descriptor(pipe.fileHandleForReading.fileDescriptor),
        ]
        for source in sources {
            let group = try CacheGroup.open("group", storage: .memory)
            #expect(try group.importEntries(from: source).counts.new == 2)
        }
    }

    @Test("a missing file and a folder give different errors")
    func missingSources() throws {
        let group = try group()
        let missing = #expect(throws: TokenCacheError.self) { try group.importEntries(from: .path("/nowhere/at all")) }
        #expect(missing?.code == .notFound)
        let folder = #expect(throws: TokenCacheError.self) { try group.importEntries(from: .path("/tmp")) }
        #expect(folder?.code == .unsafeFile)
    }

    @Test("a document larger than the window goes through it, from memory, from a file and through a pipe")
    func large() throws {
        let secret = String(repeating: "s", count: 2_000)
        let tokens = (0..<3_000).map { Document.accessToken(user: "u\($0).t", secret: "\($0)\(secret)") }
        let accounts = (0..<3_000).map { Document.account(user: "u\($0).t", username: "user\($0)@contoso.com") }
        let document = Document.sections(["AccessToken": tokens, "Account": accounts, "more": [#""x": 1"#]])
        #expect(document.bytes.count > ImportRun.windowByteCount)
        let path = fixture.scratch.write(document.bytes, to: "cache.json")
        let value = document.value
        let pipe = Pipe()
        let writer = Thread {
            pipe.fileHandleForWriting.write(Data(document.bytes))
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        let sources: [ImportSource] = [
            .path(path), .bytes(document.bytes), .descriptor(pipe.fileHandleForReading.fileDescriptor),
        ]
        for (index, source) in sources.enumerated() {
            let group = try fixture.createGroup(name: "group\(index)")
            #expect(try group.importEntries(from: source).counts.new == 6_001)
            #expect(try group.give().value == value)
            let names = try FileManager.default.contentsOfDirectory(atPath: group.location.folder ?? "")
            #expect(names.allSatisfy { !$0.hasPrefix("tmp.") })
        }
    }

    // MARK: - Progress

    @Test("an import can be cancelled and then changes nothing")
    func cancelling() throws {
        let group = try group()
        let journal = fixture.contents("journal")
        let tokens = (0..<2_000).map { Document.accessToken(user: "u\($0).t") }
        let document = Document.sections(["AccessToken": tokens])
        let error = #expect(throws: TokenCacheError.self) {
            try group.importEntries(from: .bytes(document.bytes), progress: { _ in .cancel })
        }
        #expect(error?.code == .cancelled)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("progress reports bytes, the total and entries, and ends with the last phase")
    func progress() throws {
        let group = try group()
        let tokens = (0..<2_000).map { Document.accessToken(user: "u\($0).t") }
        let document = Document.sections(["AccessToken": tokens])
        var seen: [OperationProgress] = []
        _ = try group.importEntries(
            from: .bytes(document.bytes),
            progress: {
                seen.append($0)
                return .proceed
            }
        )
        #expect(seen.last?.phase == .finishing)
        #expect(seen.last?.entryCount == 2_000)
        #expect(seen.last?.completedBytes == UInt64(document.bytes.count))
        #expect(seen.allSatisfy { $0.totalBytes == UInt64(document.bytes.count) })
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes })
    }

    @Test("a handle that was already open sees imported entries")
    func otherHandle() throws {
        let group = try group()
        let other = CacheGroup(try fixture.open())
        try group.take(.sections(["Account": [Document.account()]]))
        #expect(try other.give().keys("Account").count == 1)
    }

    @Test("nothing is imported into a group that is open for reading")
    func readOnly() throws {
        _ = try group()
        let reading = CacheGroup(try fixture.open(access: .readOnly))
        let error = #expect(throws: TokenCacheError.self) { try reading.take(Document("{}")) }
        #expect(error?.code == .readOnly)
    }
}
