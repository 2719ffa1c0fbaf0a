// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Synchronization
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Creating groups under adverse conditions")
struct GroupCreationTests {
    let fixture = GroupFixture()

    @Test("the next opener completes the creation that a killed process began", arguments: OpeningStep.allCases)
    func killedCreator(step: OpeningStep) throws {
        var opener = try fixture.opener(access: .create)
        opener.onStep = { $0 == step ? StorageError(.cancelled) : nil }
        #expect(throws: StorageError.self) { try opener.open() }
        let begun = try #require(fixture.contents("store"))

        let group = try fixture.create()
        try group.put(1)
        #expect(try fixture.open().has(1))
        let state = try #require(try group.directory?.readState())
        #expect(state.phase == .ready)
        #expect(String(decoding: begun, as: UTF8.self).contains(state.group))
        #expect(fixture.keyFiles == [fixture.scratch.path(".keys/\(state.group)")])
    }

    @Test(
        "removing a group whose creation was killed leaves nothing, whether or not another process completed it",
        arguments: OpeningStep.allCases,
        [false, true]
    )
    func removedAfterKilledCreation(step: OpeningStep, isCompleted: Bool) throws {
        var opener = try fixture.opener(access: .create)
        opener.onStep = { $0 == step ? StorageError(.cancelled) : nil }
        #expect(throws: StorageError.self) { try opener.open() }
        if isCompleted { try fixture.create().store.close() }
        let report = try GroupReference("group", root: fixture.scratch.path).remove()
        #expect(report.isComplete, "\(report.kept)")
        #expect(fixture.keyFiles.isEmpty)
    }

    @Test("a forged state file does not lead a removal to the key file of another group that is being created")
    func forgedCreation() throws {
        var victim = try fixture.opener(access: .create)
        victim.onStep = { $0 == .journalMade ? StorageError(.cancelled) : nil }
        #expect(throws: StorageError.self) { try victim.open() }
        let key = try #require(fixture.keyFiles.first)
        #expect(key.hasSuffix(".begun"))
        try fixture.create(name: "other").store.close()
        try FileManager.default.removeItem(atPath: fixture.scratch.path("other/journal"))
        let group = try StoreText(fixture.scratch.path("group/store"))["group"]
        try StoreText.edit(fixture.scratch.path("other/store")) {
            $0["phase"] = "creating"
            $0["group"] = group
            $0["mac"] = nil
        }
        _ = try GroupReference("other", root: fixture.scratch.path).remove()
        #expect(fixture.keyFiles.contains(key))
        try fixture.open().store.close()
    }

    @Test(
        "the remains of a killed creation are not a group unless the caller creates one",
        arguments: OpeningStep.allCases
    )
    func halfCreated(step: OpeningStep) throws {
        var opener = try fixture.opener(access: .create)
        opener.onStep = { $0 == step ? StorageError(.cancelled) : nil }
        #expect(throws: StorageError.self) { try opener.open() }
        let isThere = step == .journalMade || step == .stateReady
        #expect(fixture.refusal() == (isThere ? nil : .notFound))
        #expect(try CacheGroup.list(root: fixture.scratch.path).map(\.state) == [isThere ? .ready : .creating])
    }

    @Test("a creation that was begun with one passphrase can be completed with another one")
    func otherMaterial() throws {
        var opener = try fixture.opener(AskedPassphrase("first").storage, access: .create)
        opener.onStep = { $0 == .keysMade ? StorageError(.cancelled) : nil }
        #expect(throws: StorageError.self) { try opener.open() }
        try fixture.create(AskedPassphrase("second").storage).put(1)
        #expect(try fixture.open(AskedPassphrase("second").storage).has(1))
        #expect(fixture.refusal(AskedPassphrase("first").storage) == .keyRejected)
    }

    @Test("the key file that opens the journal is recorded, even if another creator had started with another one")
    func otherKeyFile() throws {
        // Not below the root: there a noted one is not tried.
        let elsewhere = ScratchFolder()
        let path = elsewhere.path("key")
        var other = try fixture.opener(
            .file(unlockedBy: .keyFile(path: elsewhere.path("other key"))),
            access: .create
        )
        other.onStep = { _ in StorageError(.cancelled) }
        var opener = try fixture.opener(.file(unlockedBy: .keyFile(path: path)), access: .create)
        opener.onStep = { [other] step in
            if step == .keysMade { _ = try? other.open() }
            return nil
        }
        let group = try opener.open()
        try group.put(1)
        #expect(try fixture.open(.file(unlockedBy: .keyFile(path: path))).has(1))
    }

    @Test("a network file system is allowed only explicitly", arguments: ["1", "0", "yes", ""])
    func networkFileSystem(value: String) throws {
        let environment = ["HOME": "/nowhere", "TOKEN_CACHE_ALLOW_NETWORK_FS": value]
        #expect(
            try GroupLocation("group", root: nil, environment: environment).allowsNetworkFileSystem == (value == "1")
        )
        #expect(try !GroupLocation("group", root: "/nowhere", environment: [:]).allowsNetworkFileSystem)
    }

    @Test("threads that create the same group at once get one group, and all of them work")
    func race() throws {
        let count = 8
        for round in 0..<5 {
            let name = "group\(round)"
            let groups = Mutex<[OpenedGroup]>([])
            DispatchQueue.concurrentPerform(iterations: count) { index in
                guard let group = try? fixture.create(name: name) else { return }
                _ = try? group.put(UInt64(index))
                groups.withLock { $0.append(group) }
            }
            let all = groups.withLock { $0 }
            #expect(all.count == count)
            for group in all {
                for index in 0..<count { #expect(try group.has(UInt64(index))) }
            }
        }
        #expect(fixture.keyFiles.count == 5)
        #expect(!fixture.keyFiles.contains { $0.hasSuffix(".begun") })
    }

    @Test("processes that create the same group at once get one group, and all of them work")
    func processes() async throws {
        let root = fixture.scratch.path
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 1...4 {
                tasks.addTask {
                    await #expect(processExitsWith: .success) { [root = root as String, number = number as Int] in
                        let location = try GroupLocation("group", root: root, environment: [:])
                        let group = try GroupOpener(
                            location,
                            storage: .automatic,
                            access: .create,
                            timeout: .seconds(20)
                        )
                        .open()
                        try group.put(UInt64(number))
                        if try !group.has(UInt64(number)) { exit(1) }
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let group = try fixture.open()
        for number in 1...4 { #expect(try group.has(UInt64(number))) }
        #expect(fixture.keyFiles.count == 1)
    }
}
