// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Dispatch
import Synchronization
import TokenCaching

/// A call of the library, timed, on a group that was opened before, each time that a line comes: for the measurement of
/// deadlines.
struct TimedCall {
    private let options: Options
    private let session: Session?
    private let account: Account?
    private let accessToken: AccessToken?
    private let refreshToken: RefreshToken?
    private let group: CacheGroup?

    private static let onCaches: [String: @Sendable (TimedCall) throws(TokenCacheError) -> Void] = [
        "token": { call throws(TokenCacheError) in _ = try call.cache.token(for: call.query()) },
        "token-by-name": { call throws(TokenCacheError) in
            _ = try call.cache.token(for: TokenQuery(username: "nobody@contoso.example", scopes: ["User.Read"]))
        },
        "secret": { call throws(TokenCacheError) in _ = try call.accessToken?.secretString },
        "accounts": { call throws(TokenCacheError) in _ = try call.cache.accounts(matching: .all) },
        "current-account": { call throws(TokenCacheError) in _ = try call.cache.currentAccount() },
        "id-token": { call throws(TokenCacheError) in _ = try call.cache.idToken(for: call.query()) },
        "last-removal": { call throws(TokenCacheError) in _ = try call.cache.lastRemoval() },
        "last-wipe": { call throws(TokenCacheError) in _ = try call.cache.lastWipe(accountID: call.person) },
        "changes": { call throws(TokenCacheError) in
            try wait { () async throws(TokenCacheError) in
                var changes = call.cache.changes().makeAsyncIterator()
                try await changes.begin()
            }
        },
        "save": { call throws(TokenCacheError) in try call.session?.save(7, account: 0) },
        "refusal": { call throws(TokenCacheError) in
            guard let token = call.refreshToken else { return }
            try call.cache.noteRefusal(
                of: token,
                response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
            )
        },
        "renew": { call throws(TokenCacheError) in
            try wait { () async throws(TokenCacheError) in
                _ = try await call.cache.renew(call.query(renews: true), timeout: call.timeout) { _ in .unavailable }
            }
        },
        "renew-synchronously": { call throws(TokenCacheError) in
            _ = try call.cache.renewSynchronously(call.query(renews: true), timeout: call.timeout) { _ in .unavailable }
        },
        "acquire": { call throws(TokenCacheError) in
            try wait { () async throws(TokenCacheError) in
                _ = try await call.cache.acquireApplicationToken(call.application, timeout: call.timeout) {
                    .unavailable
                }
            }
        },
        "acquire-synchronously": { call throws(TokenCacheError) in
            _ = try call.cache.acquireApplicationTokenSynchronously(call.application, timeout: call.timeout) {
                .unavailable
            }
        },
        "sign-out": { call throws(TokenCacheError) in try call.cache.signOut(accountID: call.person) },
        "wipe": { call throws(TokenCacheError) in try call.cache.wipe(accountID: call.person) },
        "clear": { call throws(TokenCacheError) in try call.cache.clearAll() },
    ]

    private static let onGroups: [String: @Sendable (TimedCall) throws(TokenCacheError) -> Void] = [
        "verify": { call throws(TokenCacheError) in _ = try call.group?.verify() },
        "compact": { call throws(TokenCacheError) in try call.group?.compact() },
        "export": { call throws(TokenCacheError) in
            _ = try call.group?.exportEntries(to: .sink { _ in })
        },
        "import": { call throws(TokenCacheError) in
            _ = try call.group?.importEntries(from: .bytes(Array(#"{"AppMetadata":{}}"#.utf8)))
        },
    ]

    private static let onNothing: [String: @Sendable (TimedCall) throws(TokenCacheError) -> Void] = [
        "open": { call throws(TokenCacheError) in _ = try Session(call.options) },
        "open-without-blocking": { call throws(TokenCacheError) in
            try wait { () async throws(TokenCacheError) in
                _ = try await TokenCache.open(
                    group: call.options.group,
                    clientID: Person.client,
                    root: call.options.root,
                    storage: Session.storage(call.options.storage),
                    options: TokenCacheOptions(timeout: call.timeout)
                )
            }
        },
        "open-group": { call throws(TokenCacheError) in _ = try call.openGroup() },
        "list-groups": { call throws(TokenCacheError) in _ = try CacheGroup.list(root: call.options.root) },
        "repair": { call throws(TokenCacheError) in
            _ = try GroupReference(
                call.options.group,
                root: call.options.root,
                storage: Session.storage(call.options.storage),
                timeout: call.timeout
            ).repair()
        },
    ]

    /// The names of all calls.
    static var names: [String] { (Array(onCaches.keys) + Array(onGroups.keys) + Array(onNothing.keys)).sorted() }

    init(_ options: Options) throws(TokenCacheError) {
        self.options = options
        session = Self.onCaches[options.call] == nil ? nil : try Session(options)
        account = try session?.cache.accounts(matching: .all).first
        accessToken =
            if let session, case .valid(let token) = try session.cache.token(for: session.tokenQueries[0]) {
                token
            } else { nil }
        refreshToken =
            if let session, case .renew(let token, _) = try session.cache.token(for: session.renewalQueries[0]) {
                token
            } else { nil }
        group = Self.onGroups[options.call] == nil ? nil : try Self.openGroup(options)
    }

    /// Makes the call and says how many microseconds it took, and how it ended.
    func run() {
        guard let body = Self.onCaches[options.call] ?? Self.onGroups[options.call] ?? Self.onNothing[options.call]
        else {
            giveUp("unknown call \(options.call)")
        }
        let clock = SuspendingClock()
        let begun = clock.now
        var end = "done"
        do throws(TokenCacheError) {
            try body(self)
        } catch {
            end = "\(error.code)"
        }
        say("\((clock.now - begun) / .microseconds(1)) \(end)")
    }

    private var timeout: Duration { .milliseconds(options.timeout) }
    private var person: Account.ID { Person(writer: options.writer, number: 0).accountID }

    private var cache: TokenCache {
        guard let session else { giveUp("the cache is not open") }
        return session.cache
    }

    /// One that was never asked: nothing is kept for it.
    private func query(renews: Bool = false) -> TokenQuery {
        TokenQuery(accountID: person, scopes: [renews ? "Nobody.Has.This" : "User.Read"])
    }

    private var application: TokenQuery {
        TokenQuery(
            applicationScopes: ["https://graph.microsoft.com/.default"],
            tenant: Person.tenant,
            environment: Person.host
        )
    }

    private func openGroup() throws(TokenCacheError) -> CacheGroup { try Self.openGroup(options) }

    private static func openGroup(_ options: Options) throws(TokenCacheError) -> CacheGroup {
        try CacheGroup.open(
            options.group,
            root: options.root,
            storage: Session.storage(options.storage),
            timeout: .milliseconds(options.timeout)
        )
    }

    /// Runs a task and blocks this thread, which no task needs, until it is over.
    private static func wait(_ body: @escaping @Sendable () async throws(TokenCacheError) -> Void)
        throws(TokenCacheError)
    {
        let isOver = DispatchSemaphore(value: 0)
        let failure = Mutex<TokenCacheError?>(nil)
        Task.detached {
            do throws(TokenCacheError) {
                try await body()
            } catch {
                failure.withLock { $0 = error }
            }
            isOver.signal()
        }
        isOver.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
