package import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// The tokens of a group of applications, for one of them: kept sealed, shared by every process that opens the group.
///
/// A cache holds in memory what it needs to know of the accounts in use, everything but the secrets. After an account's
/// first use a lookup does no I/O: it compares one word of shared memory, so that a change by any process of the group is
/// seen at the next lookup. Secrets are opened at hand-out, one at a time.
///
/// Safe to use from any thread. Every call that may wait has two forms of one name: a synchronous one, which waits on the calling
/// thread, and an asynchronous one, which waits elsewhere. Swift picks the form by where it is called; only those that take a
/// closure have two names. <doc:Threads> says more. Every call may throw ``TokenCacheError/Code/closed`` and ``TokenCacheError/Code/forkedProcess``, and
/// one that writes also ``TokenCacheError/Code/busy``, ``TokenCacheError/Code/timeout``,
/// ``TokenCacheError/Code/readOnly``, ``TokenCacheError/Code/full`` and ``TokenCacheError/Code/indeterminate``.
public final class TokenCache: Sendable {
    let engine: Engine

    /// Where the records are, and why there.
    public let location: StorageLocation

    /// The application that this cache is for, as it was given.
    public var clientID: String { engine.clientID }

    /// A cache on a store that is open already.
    ///
    /// - Parameters:
    ///   - store: where the records are. The cache owns it from now on and closes it.
    ///   - keyring: the keys of the group, with those of the store's epoch.
    ///   - clientID: the application, as it is registered.
    ///   - options: clock, timeout and clouds.
    ///   - shared: the time that several calls have together; nil where each has its own.
    ///   - location: where the store has the records.
    /// - Throws: `invalidRequest` for a blank client id, `malformedDocument` for clouds that would join two, `keyMissing` for
    ///   a keyring without keys, `forkedProcess`.
    package init(
        store: any RecordStore,
        keyring: GroupKeyring,
        clientID: String,
        options: TokenCacheOptions = TokenCacheOptions(),
        sharing shared: SharedTimeout? = nil,
        location: StorageLocation = .memory
    ) throws(TokenCacheError) {
        self.location = location
        guard !UTF8Text(clientID).isBlank else {
            throw TokenCacheError(.invalidRequest, detail: "the client id is empty")
        }
        engine = try Engine(
            store: store,
            keyring: keyring,
            clientID: clientID,
            clock: options.clock,
            timeout: options.timeout,
            sharedTime: shared?.time,
            clouds: .builtIn
        )
        if let clouds = options.clouds, !engine.clouds.knows(clouds.clouds) {
            do throws(TokenCacheError) {
                try engine.learn(clouds.clouds)
            } catch {
                // It knows them all the same, and a group that cannot be written now can be looked up.
                guard error.code != .malformedDocument else { throw error }
            }
        }
    }

    deinit {
        engine.close()
    }

    /// What there is for a query: an access token, a refresh token to spend, or why the person has to sign in.
    ///
    /// The hot path of the library. Asking a query again costs a few dozen nanoseconds, allocates nothing, enters no
    /// kernel and takes no lock; the first lookup of an account reads its records. Whether another process changed
    /// something is checked every time.
    ///
    /// - Parameter query: prepared once, asked as often as needed.
    /// - Returns: what to do.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a query without scopes or account,
    ///   ``TokenCacheError/Code/damaged`` where what is stored does not verify and nothing else helps,
    ///   ``TokenCacheError/Code/busy`` or ``TokenCacheError/Code/timeout`` where the newest state cannot be read and no
    ///   good access token is known, ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/forkedProcess``.
    public func token(for query: TokenQuery) throws(TokenCacheError) -> TokenDecision {
        try engine.token(for: query)
    }

    /// Releases what the cache holds. Later calls throw ``TokenCacheError/Code/closed``.
    ///
    /// Tokens that were handed out can still be opened as long as nobody removes them.
    public func close() {
        engine.close()
    }
}

extension TokenCache: CustomStringConvertible, CustomReflectable {
    /// Nothing but the type's name.
    public var description: String { "TokenCache" }

    /// No children: nothing of what is cached gets into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
