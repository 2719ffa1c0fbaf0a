// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import TokenCaching

/// A worker that opens the group many times over, each time to look up and to be told of changes.
struct Crowd {
    private let caches: [TokenCache]
    private let query = TokenQuery(accountID: Person(writer: 0, number: 0).accountID, scopes: ["User.Read"])

    init(_ options: Options) throws(TokenCacheError) {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var caches: [TokenCache] = []
        for _ in 0..<options.count { caches.append(try Session(options).cache) }
        self.caches = caches
    }

    /// For each line: what how many find, then how many were told of a change since the last line.
    func answer() throws(TokenCacheError) {
        let told = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let polling = Counter()
        for cache in caches {
            Task.detached {
                var changes = cache.changes().makeAsyncIterator()
                try await changes.begin()
                if changes.isPolling { polling.count() }
                begun.signal()
                // All changes of one save are told together.
                while let change = try await changes.next() {
                    if change.kind.name == "AccessToken" { told.signal() }
                }
            }
        }
        for _ in caches where begun.wait(timeout: .now() + .seconds(60)) == .timedOut {
            giveUp("no changes are followed")
        }
        say("polling \(polling.value) of \(caches.count)")
        while readLine() != nil {
            var found: [Int: Int] = [:]
            for cache in caches {
                guard case .valid(let token) = try cache.token(for: query) else { giveUp("no token") }
                found[Person.save(of: try token.secretString) ?? -1, default: 0] += 1
            }
            say("found " + found.sorted { $0.key < $1.key }.map { "\($0.key) by \($0.value)" }.joined(separator: ", "))
            var count = 0
            while count < caches.count, told.wait(timeout: .now() + .seconds(20)) == .success { count += 1 }
            say("told \(count)")
        }
    }
}

private final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func count() { number.withLock { $0 += 1 } }
}
