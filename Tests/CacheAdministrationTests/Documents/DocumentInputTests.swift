// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupDirectory
import GroupRecords
import RecordStorage
import SeededRandom
import SystemPackage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What documents look like, and what is refused.
@Suite("Documents for libraries")
struct DocumentInputTests {
    let group: CacheGroup
    let fixture = GroupFixture()

    init() throws {
        group = try fixture.createGroup()
        try group.edit { $0.signIn("0") }
    }

    @Test("an empty document has five empty sections")
    func emptyView() throws {
        let text = try group.document(for: "nobody").text()
        #expect(text == #"{"AccessToken":{},"RefreshToken":{},"IdToken":{},"Account":{},"AppMetadata":{}}"#)
    }

    @Test("entries are written as they are stored: unknown members, numbers, nulls, and what is not understood")
    func untouchedEntries() throws {
        let odd =
            #""k-é":{"secret":"s","client_id":"CLIENT","environment":"h","home_account_id":"x.y","target":"a","n":1.50,"z":null}"#
        let foreign = #""f":{"client_id":"other","what":[1]}"#
        let opaque = #""o":{"client_id":"client","what":[1, 2]}"#
        try group.take(Document("{\"AccessToken\":{\(odd),\(opaque)},\"Future\":{\(foreign),\(opaque)}}"))
        let text = try group.document(for: "client").text()
        #expect(text.contains(odd))
        #expect(text.contains(opaque))
        #expect(text.contains("\"Future\""))
        #expect(!text.contains(foreign))
        var document = try group.document(for: "client")
        #expect(try !document.merge(text: text).hasChanges)
        #expect(try document.merge(text: text.replacingOccurrences(of: "[1, 2]", with: "[3]")).writtenCount == 2)
        #expect(try group.document(for: "client").text().contains("[3]"))
        // An entry that a library does not know may vanish when it writes; it stays.
        let without = try group.document(for: "client").text().replacingOccurrences(
            of: ",\"Future\":{\(opaque.replacingOccurrences(of: "[1, 2]", with: "[3]"))}",
            with: ""
        )
        #expect(!without.contains("Future"))
        var last = try group.document(for: "client")
        #expect(try !last.merge(text: without).hasChanges)
    }

    @Test("a document of one account has only that, and changes only that")
    func oneAccount() throws {
        try group.edit { $0.signIn("1", user: "other.utid") }
        #expect(try group.view(account: "UID.utid").tokens == ["a0", "r0"])
        #expect(try group.view(account: "nobody").tokens.isEmpty)
        let report = try group.edit(account: "uid.utid") { cache in
            cache.put(refreshToken: "r2")
            cache.put(refreshToken: "evil", user: "other.utid")
        }
        #expect(report.writtenCount == 1)
        #expect(report.ignoredCount == 1)
        try group.edit(account: "uid.utid") { $0.remove() }
        #expect(try group.tokens() == ["a1", "r1"])
    }

    @Test("blank clients and accounts are refused")
    func blank() throws {
        let names: [(client: String, account: String?)] = [(" ", nil), ("client", "")]
        for name in names {
            let error = #expect(throws: TokenCacheError.self) {
                _ = try group.document(for: name.client, account: name.account).text()
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    static let noDocuments = [
        "no", "[]", "7", "null", "\"x\"", "{\"a\":1}", "{\"other\":{}}", "\u{FEFF}{}", "{\"AccessToken\":[]}",
        "{\"AccessToken\":{\"k\":1,}}", "{\"RefreshToken\":{\"k\":{},\"k\":{}}}",
        "{\"Account\":{},\"Account\":{\"x\":{}}}",
        "{\"AccessToken\":{\"k\":{\"secret\":\"a\",\"secret\":\"b\"}}}", "{\"AccessToken\":{}} x",
        "{\"AccessToken\":{\"k\":NaN}}",
        String(repeating: "{\"a\":", count: 100), "", " \n", "{}", " { } ",
    ]

    @Test("what is no cache changes nothing", arguments: noDocuments)
    func noDocument(text: String) throws {
        let before = try group.give().text
        var document = try group.document(for: "client")
        #expect {
            try document.merge(text: text)
        } throws: { error in
            [.malformedDocument, .tooLarge].contains((error as? TokenCacheError)?.code)
        }
        #expect(try group.give().text == before)
        // The document is as good as before.
        var cache = try LibraryCache(document)
        cache.put(refreshToken: "r1")
        #expect(try document.merge(cache).writtenCount == 1)
    }

    @Test("no beginning of a document changes anything")
    func halves() throws {
        let before = try group.give().text
        var document = try group.document(for: "client")
        let bytes = Array(try document.text().utf8)
        for count in 0..<bytes.count {
            let error = #expect(throws: TokenCacheError.self) {
                try document.merge(bytes.rawSpan.extracting(0..<count))
            }
            #expect(error?.code == .malformedDocument)
        }
        #expect(try group.give().text == before)
    }

    @Test("random bytes in a document never trap, and what is refused changes nothing")
    func mutations() throws {
        var random = SeededGenerator(for: "mutated documents")
        for _ in 0..<400 {
            let group = try CacheGroup.open("memory", storage: .memory, access: .create)
            try group.edit { $0.signIn("0", family: "1") }
            let before = try group.give().text
            var document = try group.document(for: "client")
            var bytes = Array(try document.text().utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                bytes[index] = random.pick(UInt8.random(in: 0...255, using: &random), 0x22, 0x7B, 0x7D, 0x2C, 0x5C)
            }
            do {
                try document.merge(bytes.rawSpan)
            } catch {
                let now = try group.give().text
                #expect(now == before, "\(error)")
            }
        }
    }

    @Test("an empty document removes everything only if that is allowed, one with empty sections always")
    func empty() throws {
        var document = try group.document(for: "nobody")
        #expect(try !document.merge(text: "").hasChanges)
        #expect(try !document.merge(text: "{}").hasChanges)
        var own = try group.document(for: "client")
        #expect(try own.merge(text: "", options: MergeOptions(allowsEmpty: true)).signedOutCount == 1)
        try group.edit { $0.signIn("1") }
        var other = try group.document(for: "client")
        #expect(try other.merge(text: "{\"AccessToken\":{}}").signedOutCount == 1)
        #expect(try group.tokens().isEmpty)
    }

    @Test("a hundred thousand entries of other clients are ignored, and thousands of own ones are written")
    func manyEntries() throws {
        let count = 100_000
        let ownCount = 2_000
        func tokens(of client: String, count: Int) -> String {
            (0..<count).map { number in
                #""k\#(number)":{"credential_type":"RefreshToken","secret":"s\#(number)","home_account_id":"u\#(number).t","#
                    + #""environment":"login.windows.net","client_id":"\#(client)"}"#
            }.joined(separator: ",")
        }
        var document = try group.document(for: "client")
        let text = try document.text()
        func with(_ entries: String) -> String {
            text.replacingOccurrences(of: "\"RefreshToken\":{", with: "\"RefreshToken\":{" + entries + ",")
        }
        let report = try document.merge(text: with(tokens(of: "other", count: count)))
        #expect(report.ignoredCount == count)
        #expect(!report.hasChanges)
        let memory = try CacheGroup.open("memory", storage: .memory, access: .create)
        var own = try memory.document(for: "client")
        #expect(
            try own.merge(text: "{\"RefreshToken\":{" + tokens(of: "client", count: ownCount) + "}}").writtenCount
                == ownCount
        )
        #expect(try !own.merge(text: "{\"RefreshToken\":{" + tokens(of: "client", count: ownCount) + "}}").hasChanges)
    }

    @Test("two documents of one process that are merged in the wrong order lose nothing")
    func wrongOrder() throws {
        var first = try group.document(for: "client")
        var second = try group.document(for: "client")
        var cache = try LibraryCache(first)
        cache.put(refreshToken: "r1")
        let older = cache
        cache.put(refreshToken: "r2")
        cache.put(accessToken: "a2", scopes: "mail.read")
        try second.merge(cache)
        // Its edit is the older one, and nothing says so: the order of two writers is that of their commits.
        try first.merge(older)
        #expect(try group.tokens() == ["a0", "a2", "r1"])
        try second.merge(cache)
        #expect(try group.tokens() == ["a0", "a2", "r1"])
    }

    // MARK: - After other things happened to the group

    @Test("nothing comes back into a group that was cleared, by a tool or an app", arguments: [true, false])
    func cleared(byTool: Bool) throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        cache.put(refreshToken: "r1")
        if byTool {
            try group.clearAll()
        } else {
            let tokens = try group.tokenCache(clientID: "other")
            defer { tokens.close() }
            try tokens.clearAll()
        }
        #expect(try document.merge(cache).refusedCount == 1)
        #expect(try group.tokens().isEmpty)
        cache.remove()
        cache.signIn("2")
        #expect(try group.edit { $0.signIn("2") }.refusedCount == 0)
    }

    @Test("a document is merged after a change of keys and a compaction")
    func rekeyed() throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        try group.rekey()
        try group.compact()
        cache.put(refreshToken: "r1")
        #expect(try document.merge(cache).writtenCount == 1)
        #expect(try group.tokens() == ["a0", "r1"])
    }

    @Test("a document of a group that was closed or removed is refused")
    func removed() throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        cache.put(refreshToken: "r1")
        _ = try GroupReference("group", root: fixture.scratch.path).remove()
        #expect(throws: TokenCacheError.self) { try document.merge(cache) }
        group.close()
        #expect(throws: TokenCacheError.self) { try document.merge(cache) }
    }

    @Test("no edit is lost in a group that cannot be written: the document can be merged later")
    func readOnly() throws {
        let reading = CacheGroup(try fixture.open(access: .readOnly))
        var document = try reading.document(for: "client")
        var cache = try LibraryCache(document)
        #expect(try !document.merge(cache).hasChanges)
        cache.put(refreshToken: "r1")
        let error = #expect(throws: TokenCacheError.self) { try document.merge(cache) }
        #expect(error?.code == .readOnly)
        #expect(try group.tokens() == ["a0", "r0"])
    }

    @Test("after a write that failed, the same document is merged again", arguments: [0, 1, 2])
    func failedWrite(calls: Int) throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        cache.signIn("1", cachedAt: 2_000)
        let text = cache.text
        _ = try? SyscallFaults.with([.init(.pwrite, .noSpace, after: calls)]) { () throws(TokenCacheError) in
            try document.merge(text: text)
        }
        try document.merge(text: text)
        #expect(try group.tokens() == ["a1", "r1"])
        #expect(try !document.merge(text: text).hasChanges)
    }
}
