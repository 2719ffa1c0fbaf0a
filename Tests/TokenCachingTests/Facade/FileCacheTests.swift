// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupDirectory
import GroupRecords
import RecordStorage
import SystemPackage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Caches on the encrypted file")
struct FileCacheTests {
    /// A folder of its own, removed when the test ends.
    final class Folder: Sendable {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "/token-cache-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    let folder: Folder
    let clock = TestClock()
    let query = MatchingCase.query("user.read")

    init() throws {
        folder = try Folder()
    }

    private func cache(client: String = TestGroup.client) throws -> TokenCache {
        try TokenCache(
            group: "tests",
            clientID: client,
            root: folder.path,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
    }

    @Test("saved tokens are there when the group is opened again")
    func reopen() throws {
        do {
            let first = try cache()
            try TestResponse.signIn().save(in: first)
            first.close()
        }
        let second = try cache()
        #expect(try second.token(for: query).summary() == "valid at")
        #expect(try second.accounts().map(\.username) == ["Ann@Contoso.com"])
    }

    @Test("two caches on one group see each other's saves at the next lookup")
    func twoCaches() throws {
        let (one, two) = (try cache(), try cache())
        for round in 1...20 {
            try TestResponse.signIn(accessToken: "\(round)").save(in: round % 2 == 0 ? one : two)
            #expect(try one.token(for: query).summary() == "valid \(round)")
            #expect(try two.token(for: query).summary() == "valid \(round)")
        }
    }

    @Test("sign-out and clear reach the other cache, and tokens that it handed out")
    func removal() throws {
        let (one, two) = (try cache(), try cache())
        let account = try #require(try TestResponse.signIn().save(in: one))
        guard case .valid(let token) = try two.token(for: query) else { throw Unexpected() }
        try one.signOut(account)
        #expect(try two.token(for: query).summary() == "interaction signedOut")
        let error = #expect(throws: TokenCacheError.self) { try token.secretString }
        #expect(error?.code == .tokenGone)
        try one.clearAll()
        #expect(try two.token(for: query).summary() == "interaction accountUnknown")
    }

    @Test("a token whose bytes in the file became zeros is damaged, not removed", arguments: [false, true])
    func zerosInPlaceOfToken(isRefreshToken: Bool) throws {
        let cache = try cache()
        try TestResponse.signIn(accessToken: isRefreshToken ? nil : "at").save(in: cache)
        let location: BoxLocation
        let secretString: () throws -> String
        switch try cache.token(for: query) {
        case .valid(let token): (location, secretString) = (token.location, { try token.secretString })
        case .renew(let token, _): (location, secretString) = (token.location, { try token.secretString })
        default: throw Unexpected()
        }
        let journal = try FileDescriptor.open(FilePath(folder.path + "/tests/journal"), .readWrite)
        try journal.closeAfter {
            let zeros = [UInt8](repeating: 0, count: Int(location.length))
            _ = try journal.writeAll(toAbsoluteOffset: Int64(location.offset), zeros)
        }
        let error = #expect(throws: TokenCacheError.self) { try secretString() }
        #expect(error?.code == .damaged)
    }

    @Test("an account queried by name is resolved again after every change", arguments: [false, true])
    func namedAccounts(byOther: Bool) throws {
        let one = try cache()
        let changing = byOther ? try cache() : one
        let account = try #require(try TestResponse.signIn().save(in: one))
        let filters = [AccountFilter(id: "uid.utid"), AccountFilter(username: "ann@contoso.com")]
        func names() throws -> [[String?]] {
            try filters.map { try one.accounts(matching: $0).map { $0.tenantProfiles.first?.name } }
        }
        #expect(try names() == [["Ann"], ["Ann"]])
        let claims = TestResponse.defaultClaims.merging(["name": "Anna"]) { $1 }
        try TestResponse.signIn(claims: claims).save(in: changing)
        #expect(try names() == [["Anna"], ["Anna"]])
        try changing.signOut(account)
        #expect(try names() == [[], []])
        try TestResponse.signIn(claims: claims).save(in: changing)
        #expect(try names() == [["Anna"], ["Anna"]])
        try changing.clearAll()
        #expect(try names() == [[], []])
    }

    /// Signs in to an account.
    ///
    /// - Returns: the account, and its refresh token.
    private func signedInToRevoke(_ cache: TokenCache) throws -> (Account, TokenToRevoke) {
        let account = try #require(try TestResponse.signIn().save(in: cache))
        var renewing = TokenQueryOptions()
        renewing.forceRefresh = true
        let query = TokenQuery(account: account, scopes: ["User.Read"], options: renewing)
        return (
            account, TokenToRevoke(try cache.refreshToken(for: query), of: account, authority: "https://id.example")
        )
    }

    #if DEBUG
    @Test("signing out works on a full disk, also where only the mark of it is left to be written")
    func fullDisk() throws {
        let account = try #require(try TestResponse.signIn().save(in: try cache()))
        for _ in 0..<2 {
            // Opened anew: what room the disk had before is not known to it.
            let cache = try cache()
            try SyscallFaults.with([.init(.fallocate, .noSpace, times: 1000)]) {
                // Until the room behind the journal is used up, but for what is kept for removals.
                #expect(throws: TokenCacheError.self) {
                    while true { try TestResponse.signIn().save(in: cache) }
                }
                try cache.signOut(account)
                try cache.wipe(account)
            }
            #expect(try cache.token(for: query).summary() == "interaction signedOut")
            cache.close()
        }
        let cache = try cache()
        try SyscallFaults.with([.init(.fallocate, .noSpace, times: 1000)]) { try cache.clearAll() }
    }

    @Test("signing out works on a full disk, even if there is no room to keep a token until it is revoked")
    func fullDiskKeeping() throws {
        let cache = try cache()
        let (account, token) = try signedInToRevoke(cache)
        // The frame with the token, and once more where the room behind the journal was given up.
        try SyscallFaults.with([.init(.pwrite, .noSpace, times: 2)]) {
            let kept = try cache.engine.signOut(of: try AccountName(account), keeping: [token])
            #expect(kept.all.isEmpty)
        }
        #expect(try cache.token(for: query).summary() == "interaction signedOut")
        #expect(try cache.engine.pendingTokens(of: nil).isEmpty)
    }
    #endif

    @Test("a token to revoke is kept in the transaction that signs out, in no other")
    func keepingInOneTransaction() throws {
        let cache = try cache()
        let (account, token) = try signedInToRevoke(cache)
        #expect(try cache.engine.signOut(of: try AccountName(account), keeping: [token]).all.count == 1)
        let group = try cache.engine.store.contents(of: cache.engine.groupPartition, until: .after(.seconds(10)))
        let written = [InternalRecordKind.lastRemoval, .pendingRevocation].map { kind in
            group.records.filter { $0.kind == kind.recordKind }.map(\.sequence)
        }
        #expect(written[0].count == 1 && written[0] == written[1])
    }

    @Test("wiping an account empties the quarantine")
    func quarantine() throws {
        let cache = try cache()
        let account = try #require(try TestResponse.signIn().save(in: cache))
        let name = try GroupName("tests")
        let directory = try GroupDirectory.open(root: FilePath(folder.path), name: name, access: .readWrite)
        let bytes: [UInt8] = [1, 2, 3]
        try directory.quarantine(bytes.rawSpan, label: "torn")
        try cache.signOut(account)
        #expect(try directory.quarantined().count == 1)
        try cache.wipe(account)
        #expect(try directory.quarantined().isEmpty)
    }

    @Test("nothing readable of tokens, people or clients is in any file")
    func nothingReadable() throws {
        let cache = try cache()
        try TestResponse.signIn(accessToken: "SECRET-ACCESS", refreshToken: "SECRET-REFRESH").save(in: cache)
        let files = try #require(FileManager.default.subpaths(atPath: folder.path))
        for file in files {
            guard let data = FileManager.default.contents(atPath: folder.path + "/" + file) else { continue }
            for text in ["SECRET-", "nn@", "ontoso", "client-a", "uid.utid"] {
                #expect(data.range(of: Data(text.utf8)) == nil, "\(file)")
                #expect(!file.contains(text))
            }
        }
    }

    @Test("a cache can be opened without blocking a task's thread")
    func asynchronous() async throws {
        let cache = try await TokenCache.open(group: "tests", clientID: "c", root: folder.path)
        #expect(try await cache.accounts().isEmpty)
    }

    @Test("an error of opening reaches the task that waits")
    func asynchronousError() async throws {
        let error = await #expect(throws: TokenCacheError.self) {
            try await TokenCache.open(group: ".hidden", clientID: "c", root: folder.path)
        }
        #expect(error?.code == .invalidName)
    }

    @Test("an empty client id is refused before a group is created for it")
    func emptyClient() throws {
        let error = #expect(throws: TokenCacheError.self) { try cache(client: " ") }
        #expect(error?.code == .invalidRequest)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("a cache in memory works alike")
    func memory() throws {
        let cache = try TokenCache(
            group: "tests",
            clientID: TestGroup.client,
            storage: .memory,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
        try TestResponse.signIn().save(in: cache)
        #expect(try cache.token(for: query).summary() == "valid at")
    }
}

extension AccessToken {
    fileprivate var location: BoxLocation { answer.facts.row(Int(row)).secret }
}

extension RefreshToken {
    fileprivate var location: BoxLocation { answer.facts.row(Int(row)).secret }
}
