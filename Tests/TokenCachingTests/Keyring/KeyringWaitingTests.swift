// SPDX-License-Identifier: Apache-2.0

import Programs
import RecordStorage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

#if DEBUG
@Suite("The remaining time of a call", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct KeyringWaitingTests {
    @Test("is handed to each wait for a keyring, with the records or the key of the group", arguments: [true, false])
    func remainingTime(hasRecords: Bool) async {
        await #expect(processExitsWith: .success) { [hasRecords] in
            let storage: StorageChoice = hasRecords ? .keyring : .file(unlockedBy: .keyring)
            let timeout = Duration.seconds(300)
            let fixture = try KeyringFixture()
            try WaitingTests.expect("create", timeout: timeout) {
                try fixture.opener(storage, access: .create, timeout: timeout).open().store.close()
            }
            for call in HandleCall.onCaches {
                var opened: OpenedGroup?
                try WaitingTests.expect("open", timeout: timeout) {
                    opened = try fixture.opener(storage, timeout: timeout).open()
                }
                let handles = try GroupHandles(#require(opened), timeout: timeout)
                try WaitingTests.expect(call.name, restarts: call.restartCount, timeout: timeout) {
                    #expect(throws: Never.self, "\(call.name)") { try call.run(handles) }
                }
                handles.cache.close()
            }
        }
    }
}
#endif
