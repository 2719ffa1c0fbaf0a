import Dispatch
import Glibc
import TokenCaching

/// A worker that opens the group many times over, each time to look up and to be told of changes.
struct Crowd {
    private let caches: [TokenCache]
    private let changes: [TokenCacheChanges]
    private let query = TokenQuery(accountID: Person(writer: 0, number: 0).accountID, scopes: ["User.Read"])

    init(_ options: Options) throws(TokenCacheError) {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var caches: [TokenCache] = []
        for _ in 0..<options.count { caches.append(try Session(options).cache) }
        self.caches = caches
        changes = caches.map(\.changes)
    }

    /// For each line: what how many find, then how many were told of a change since the last line.
    func answer() throws(TokenCacheError) {
        say("periodic \(changes.count(where: \.isPeriodic)) of \(changes.count)")
        let told = DispatchSemaphore(value: 0)
        for changes in changes {
            Task.detached {
                var changes = changes.makeAsyncIterator()
                // All changes of one save are told together.
                while let change = try await changes.next() {
                    if change.kind.name == "AccessToken" { told.signal() }
                }
            }
        }
        while readLine() != nil {
            var found: [Int: Int] = [:]
            for cache in caches {
                guard case .valid(let token) = try cache.token(for: query) else { giveUp("no token") }
                found[Person.save(of: try token.secretString) ?? -1, default: 0] += 1
            }
            say("found " + found.sorted { $0.key < $1.key }.map { "\($0.key) by \($0.value)" }.joined(separator: ", "))
            var count = 0
            while count < changes.count, told.wait(timeout: .now() + .seconds(20)) == .success { count += 1 }
            say("told \(count)")
        }
    }
}
