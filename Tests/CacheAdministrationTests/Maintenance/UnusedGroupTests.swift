// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupRecords
import RecordStorage
import Synchronization
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A new group whose first step failed", .timeLimit(.minutes(5)))
struct UnusedGroupTests {
    private let scratch = ScratchFolder()
    private static let authority = "https://idp.example/tenant"

    private func group(_ access: GroupAccess = .create) throws -> CacheGroup {
        try CacheGroup.open("group", root: scratch.path, storage: .file(unlockedBy: .keyFile), access: access)
    }

    /// What a sign-in stores before there is a token.
    enum Preparation: CaseIterable {
        case nothing, registration, withdrawnQuestion
    }

    private func prepare(_ preparation: Preparation, _ cache: TokenCache) async throws {
        switch preparation {
        case .nothing: break
        case .registration:
            let client = JSONValue.object(of: ["resource": "https://api.example/", "client_id": "registered"])
            _ = try await cache.keep(resource: client, unless: { _ in false })
        case .withdrawnQuestion:
            let question = cache.interaction(at: Self.authority, environment: "idp.example", timeout: .seconds(20))
            guard case .ask(let lease) = try await question.turn() else { throw Unexpected() }
            await lease.cancel()
            lease.release()
        }
    }

    @Test("is removed with its key if it has only what can be obtained again", arguments: Preparation.allCases)
    func removed(preparation: Preparation) async throws {
        let group = try group()
        try await prepare(preparation, try group.tokenCache(clientID: TestGroup.client))
        #expect(try group.removeIfUnused())
        #expect(!scratch.files.contains { $0.contains("journal") || $0.hasPrefix(".keys/") }, "\(scratch.files)")
    }

    @Test("stays if it was there before")
    func existing() throws {
        try group().close()
        #expect(try !group(.readWrite).removeIfUnused())
    }

    @Test("stays if another program stored an account meanwhile")
    func used() throws {
        let group = try group()
        let other = try TokenCache(group: "group", clientID: TestGroup.client, root: scratch.path)
        try TestResponse.signIn().save(in: other)
        #expect(try !group.removeIfUnused())
        #expect(try other.accounts().count == 1)
    }

    @Test("is not removed with what another program stores at the same moment")
    func race() throws {
        for _ in 0..<60 {
            let scratch = ScratchFolder()
            let group = try CacheGroup.open(
                "group",
                root: scratch.path,
                storage: .file(unlockedBy: .keyFile),
                access: .create
            )
            let other = try TokenCache(group: "group", clientID: TestGroup.client, root: scratch.path)
            let outcome = Mutex((isSaved: false, isRemoved: false))
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 {
                    let isSaved = (try? TestResponse.signIn().save(in: other)) != nil
                    outcome.withLock { $0.isSaved = isSaved }
                } else {
                    let isRemoved = (try? group.removeIfUnused()) == true
                    outcome.withLock { $0.isRemoved = isRemoved }
                }
            }
            #expect(outcome.withLock { !($0.isSaved && $0.isRemoved) })
        }
    }

    @Test("stays if a removal was noted: somebody had an account there")
    func removal() throws {
        let group = try group()
        let other = try TokenCache(group: "group", clientID: TestGroup.client, root: scratch.path)
        try TestResponse.signIn().save(in: other)
        _ = try group.clearAll()
        #expect(try !group.removeIfUnused())
    }

    @Test("stays while another process asks the user to sign in")
    func asked() throws {
        let group = try group()
        let cache = try group.tokenCache(clientID: TestGroup.client)
        defer { cache.close() }
        let engine = cache.engine
        let subject = InteractionSubject(.client("other"), authority: Self.authority)
        for (process, isRemoved) in [(getpid() + 1, false), (getpid(), true)] {
            try engine.change(until: engine.newDeadline()) { transaction throws(StorageError) in
                try transaction.put(
                    InteractionNote(subject).asking(process, at: 0).encoded(),
                    kind: .interaction,
                    tag: engine.codec.interactionTag(subject),
                    in: engine.groupPartition
                )
            }
            #expect(try group.removeIfUnused() == isRemoved)
        }
    }
}
