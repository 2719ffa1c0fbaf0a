// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import Synchronization
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("In a forked child")
struct ForkedHandleTests {
    /// Each case forks: its calls run in a child of a process of their own.
    @Test("every call on a handle of the parent is refused, also where its answer was kept")
    func inherited() async {
        await #expect(processExitsWith: .success) {
            let handles = try GroupHandles(GroupFixture())
            #expect(try handles.cache.token(for: GroupHandles.query).summary().hasPrefix("valid"))
            for (index, call) in HandleCall.all.enumerated() {
                let failure = Fork.inChild {
                    do {
                        try call.run(handles)
                        return 1
                    } catch {
                        return (error as? TokenCacheError)?.code == .forkedProcess ? 0 : 2
                    }
                }
                #expect(failure == 0, "\(call.name), call \(index)")
            }
            // What a child closes stays open here.
            #expect(
                Fork.inChild {
                    handles.cache.close(); handles.group.close(); return 0
                } == 0
            )
            #expect(try handles.cache.token(for: GroupHandles.query).summary().hasPrefix("valid"))
            #expect(try handles.cache.accounts().count == 1)
            // So does the watch of changes, which a child cannot wait on.
            #expect(Fork.inChild { (try? handles.feed.next()) == nil ? 0 : 1 } == 0)
        }
    }

    @Test("every call was tested")
    func complete() throws {
        let tried = Set(HandleCall.all.map(\.name))
        let declared = try PublicCalls.all
        #expect(declared.count >= 20)
        // It shows what is in memory already, and opens nothing.
        let harmless: Set = ["EntryDetail.fields"]
        #expect(declared.subtracting(tried).sorted() == harmless.sorted())
    }

    @Test(
        "a child opens the same group itself, after its parent closed it or still has it open",
        arguments: [true, false]
    )
    func ownHandle(isClosed: Bool) async {
        await #expect(processExitsWith: .success) { [isClosed] in
            let fixture = GroupFixture()
            let handles = try GroupHandles(fixture)
            if isClosed {
                handles.cache.close()
                handles.group.close()
            }
            let status = Fork.inChild {
                guard let opened = try? fixture.open(),
                    let cache = try? TokenCache(
                        store: opened.store,
                        unlockedKeys: opened.unlockedKeys,
                        clientID: TestGroup.client,
                        options: TokenCacheOptions()
                    )
                else { return 1 }
                guard let found = try? cache.token(for: GroupHandles.query), case .valid(let token) = found,
                    (try? token.secretString) == "at"
                else { return 2 }
                return (try? TestResponse.signIn(accessToken: "of the child").save(in: cache)) == nil ? 3 : 0
            }
            #expect(status == 0)
            let again = try fixture.open()
            #expect(try again.store.partitions(until: .after(.seconds(20))).count >= 1)
        }
    }

    @Test("nothing of the parent has to be free for that")
    func lockedByParent() async {
        await #expect(processExitsWith: .success) {
            let group = try TestGroup()
            let cache = try group.cache()
            // As if another thread were in the middle of it.
            let status = cache.engine.state.withLock { _ in
                Fork.inChild { (try? cache.accounts(matching: .all)) == nil ? 0 : 1 }
            }
            #expect(status == 0)
        }
    }
}
