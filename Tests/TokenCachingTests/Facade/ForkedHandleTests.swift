import Foundation
import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching

@Suite("In a forked child")
struct ForkedHandleTests {
    @Test("every call on a handle of the parent is refused, also where its answer was kept")
    func inherited() async {
        await #expect(processExitsWith: .success) {
            let group = try TestGroup()
            try group.put(.account(), .accessToken())
            let cache = try group.cache()
            #expect(try cache.token(for: DeadlineTests.Call.query).summary().hasPrefix("valid"))
            let inChild = inForkedChild {
                var failures: Int32 = 0
                for call in DeadlineTests.Call.all {
                    do {
                        try call.run(cache)
                        failures += 1
                    } catch {
                        if (error as? TokenCacheError)?.code != .forkedProcess { failures += 1 }
                    }
                }
                cache.close()
                return failures
            }
            #expect(inChild == 0)
            #expect(try cache.token(for: DeadlineTests.Call.query).summary().hasPrefix("valid"))
        }
    }

    @Test("nothing of the parent has to be free for that")
    func lockedByParent() async {
        await #expect(processExitsWith: .success) {
            let group = try TestGroup()
            let cache = try group.cache()
            // As if another thread were in the middle of it.
            let status = cache.engine.state.withLock { _ in
                inForkedChild { (try? cache.accounts(matching: .all)) == nil ? 0 : 1 }
            }
            #expect(status == 0)
        }
    }
}

/// Runs `body` in a forked child and gives what it returns; -1 where it ended otherwise.
private func inForkedChild(_ body: () -> Int32) -> Int32 {
    guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
    // SAFETY: this is the type of fork.
    let process = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    if process == 0 {
        // Should it hang, it is not to outlive the test.
        alarm(30)
        _exit(body())
    }
    var status: Int32 = 0
    guard process > 0, unsafe waitpid(process, &status, 0) == process, status & 0x7F == 0 else { return -1 }
    return status >> 8 & 0xFF
}
