// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A keyring in a forked child", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct ForkedKeyringTests {
    /// Its daemon is stopped: whoever asked it, or waited for a thread that stayed with the parent, would wait until the alarm
    /// of the child.
    @Test("is refused at once if the parent used one, on inherited handles and on new ones")
    func refused() async {
        await #expect(processExitsWith: .success) {
            let fixture = try KeyringFixture()
            let group = try fixture.create(.keyring)
            let partition = try group.put(1)
            let opener = try fixture.opener(.keyring, timeout: .seconds(600))
            try fixture.keyring.freeze()
            let opened = Fork.inChild {
                do throws(StorageError) {
                    _ = try opener.open()
                    return 1
                } catch {
                    return error.code == .forkedProcess ? 0 : 2
                }
            }
            #expect(opened == 0)
            let reading = Fork.inChild {
                do throws(StorageError) {
                    _ = try group.store.makeHandle(until: .after(.seconds(600)))
                    _ = try group.store.contents(of: partition, until: .after(.seconds(600)))
                    return 1
                } catch {
                    return error.code == .forkedProcess ? 0 : 2
                }
            }
            #expect(reading == 0)
            try fixture.keyring.thaw()
            #expect(try group.has(1))
        }
    }
}
