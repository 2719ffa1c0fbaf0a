// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// The tokens of a group of applications, as seen by one of them: sealed, and shared by every process that opens the
/// group.
///
/// A cache keeps what it needs to know about the accounts in use in memory, except their secrets. After an account's
/// first use a lookup does no I/O: it compares one word of shared memory, so the next lookup notices a change by any
/// process of the group. A secret is decrypted only when you access it.
///
/// Safe to use from any thread. Calls that may wait have two forms with the same name: a synchronous one, which waits
/// on the calling thread, and an asynchronous one, which does not block it. Swift selects the form by the context of
/// the call. Opening, and calls that take a closure, have two names instead. See <doc:Threads>.
///
/// Every call may throw ``TokenCacheError/Code/closed`` and ``TokenCacheError/Code/forkedProcess``, and a call that
/// writes also ``TokenCacheError/Code/busy``, ``TokenCacheError/Code/timeout``, ``TokenCacheError/Code/readOnly``,
/// ``TokenCacheError/Code/full`` and ``TokenCacheError/Code/indeterminate``. After the group was moved, restored from a
/// backup, or migrated to another kind of store, every call throws ``TokenCacheError/Code/storageMoved`` or
/// ``TokenCacheError/Code/storageMismatch`` until you open the cache again.
public final class TokenCache: Sendable {
    let engine: Engine

    /// The group's file, if it has one and the program maintains it.
    let maintainedFile: (any FileBackedStore)?

    /// Called after each call that did some work.
    let onEvent: (@Sendable (CacheEvent) -> Void)?

    /// Where the records are stored, and why.
    public let location: StorageLocation

    /// The version of this package, for logs and for servers that record the versions of their clients.
    public static let packageVersion = "0.1.0"

    /// The application of this cache, as given when it was opened.
    public var clientID: String { engine.clientID }

    /// Creates a cache on an open store.
    ///
    /// - Parameters:
    ///   - store: the store of the records, which nothing else uses: it reports each change once. It is closed with this
    ///     cache.
    ///   - unlockedKeys: the keys of the group, including those of the store's epoch.
    ///   - clientID: the application, as it is registered.
    ///   - options: clock, timeout and clouds.
    ///   - shared: the waiting time that several calls share; nil if each call has its own.
    ///   - location: where the store keeps the records.
    ///   - maintainedFile: the file of the store, if the program maintains it.
    /// - Throws: `invalidRequest` for a blank client id, `malformedDocument` if the options' clouds would join two
    ///   clouds, `keyMissing` if there are no keys, `forkedProcess`.
    package init(
        store: any RecordStore,
        unlockedKeys: UnlockedKeys,
        clientID: String,
        options: TokenCacheOptions = TokenCacheOptions(),
        sharing shared: WaitingTime? = nil,
        location: StorageLocation = .memory,
        maintainedFile: (any FileBackedStore)? = nil
    ) throws(TokenCacheError) {
        self.location = location
        self.maintainedFile = maintainedFile
        onEvent = options.onEvent
        try translating(try Self.checkClientID(clientID))
        engine = try translating(
            try Engine(
                store: store,
                unlockedKeys: unlockedKeys,
                clientID: clientID,
                clock: options.clock,
                timeout: options.timeout,
                sharedTime: shared,
                clouds: .builtIn,
                startsThreads: options.startsThreads
            )
        )
        if let clouds = options.clouds, !engine.clouds.knows(clouds.clouds) {
            do throws(StorageError) {
                try engine.learn(clouds.clouds)
            } catch {
                // This cache uses the clouds anyway, and lookups work in a group that cannot be written now.
                guard error.code != .malformedDocument else { throw TokenCacheError(error) }
            }
        }
    }

    static func checkClientID(_ clientID: String) throws(StorageError) {
        guard !UTF8Text(clientID).isBlank else {
            throw StorageError(.invalidRequest, detail: "the client id is empty")
        }
    }

    deinit {
        engine.close()
    }

    /// Answers a query: with an access token, a refresh token to redeem, or the reason that the user has to sign in.
    ///
    /// This is the hot path of the library. Repeating a query takes a few dozen nanoseconds, allocates nothing, makes
    /// no system call and takes no lock; the first lookup of an account reads its records. Every call checks whether
    /// another process changed something.
    ///
    /// - Parameter query: prepared once, used as often as needed.
    /// - Returns: what to do.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a query without scopes or account,
    ///   ``TokenCacheError/Code/damaged`` if the stored data does not verify and nothing else can be used,
    ///   ``TokenCacheError/Code/busy`` or ``TokenCacheError/Code/timeout`` if the newest state cannot be read and no
    ///   valid access token is known, ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/forkedProcess``.
    public func token(for query: TokenQuery) throws(TokenCacheError) -> TokenDecision {
        try translating(try engine.token(for: query))
    }

    /// Releases the resources of the cache. Later calls throw ``TokenCacheError/Code/closed``.
    ///
    /// Tokens that were handed out can still be decrypted until they are removed.
    public func close() {
        engine.close()
    }
}

extension TokenCache {
    /// Why a query gets what ``token(for:)`` returns: the nearest stored tokens, what they lack, and whether a refusal
    /// keeps the refresh token from being redeemed. For tools; applications need only the decision.
    ///
    /// Takes about ten microseconds for an account of usual size, and reads the notes of refusals.
    ///
    /// - Parameter query: the query.
    /// - Returns: the nearest tokens of the account; none if the account is unknown. If the query selects none of several
    ///   accounts with the username, these accounts and no tokens.
    /// - Throws: the errors of ``token(for:)``.
    public func diagnosis(of query: TokenQuery) throws(TokenCacheError) -> TokenDiagnosis {
        try translating(try engine.diagnosis(of: query))
    }

    /// The same without blocking the calling thread. Parameters, result and errors are those of the synchronous form.
    nonisolated(nonsending) public func diagnosis(
        of query: TokenQuery
    ) async throws(TokenCacheError) -> TokenDiagnosis {
        try await engine.onPool { () throws(TokenCacheError) in try self.diagnosis(of: query) }
    }

    /// The last answer to a query, regardless of later changes; nil if the token has expired or there is no answer.
    /// Used to measure the cost of the check for changes in ``token(for:)``, which is this plus the check.
    package func lastDecision(for query: TokenQuery) -> TokenDecision? {
        let now = ClockReading.now(engine.clock)
        guard let answer = query.answers.load(), answer.isOf(address: engine.address, now: now.seconds) else {
            return nil
        }
        return answer.decision(now: now.seconds)
    }
}

extension TokenCache: CustomStringConvertible, CustomReflectable {
    /// Only the type's name.
    public var description: String { "TokenCache" }

    /// No children, so that nothing from the cache appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
