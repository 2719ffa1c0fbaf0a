// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
public import TokenCaching

/// A group of token caches as a whole: import and export its entries, and maintain its store.
///
/// Applications that need tokens use `TokenCache`. Everything here may block on the disk and on the group's lock. Safe
/// to use from any thread.
public final class CacheGroup: Sendable {
    package let opened: OpenedGroup
    let timeout: Duration
    /// The timeout that all calls share; `nil` if each call has its own.
    let sharedTime: WaitingTime?
    /// The location of the group if it was opened with `GroupAccess.create`; `nil` otherwise.
    let createdLocation: GroupLocation?

    package init(
        _ opened: OpenedGroup,
        timeout: Duration = .seconds(2),
        sharing shared: SharedTimeout? = nil,
        created location: GroupLocation? = nil
    ) {
        self.opened = opened
        self.timeout = timeout
        sharedTime = shared?.time
        createdLocation = location
    }

    deinit {
        opened.store.close()
    }

    /// Opens a group.
    ///
    /// ```swift
    /// let group = try CacheGroup.open("com.contoso.sso")
    /// let report = try group.importEntries(from: .path("msal_token_cache.json"))
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the group: 1 to 128 letters, digits, dots, dashes and underscores, no leading dot.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: where the group keeps its records, and what unlocks it.
    ///   - fallbackUnlocking: other ways to unlock an existing group in the encrypted file, if the storage is chosen
    ///     automatically.
    ///   - access: whether to create the group, and whether to write to it.
    ///   - timeout: how long calls wait for a lock that another process holds, and for the keyring.
    ///   - prompts: whether the keyring may prompt the user while the group is opened.
    /// - Returns: the open group.
    /// - Throws: `notFound`, `invalidName`, `keyMissing`, `keyRejected`, `storageMismatch`, `damaged`,
    ///   `unsafePermissions` and other codes about files; if a keyring is used, `keyringMissing`, `keyringLocked`,
    ///   `keyringItemMissing`, `groupElsewhere`, `promptDismissed`, `promptPending` and `timeout`.
    public static func open(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        access: GroupAccess = .readWrite,
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) throws(TokenCacheError) -> CacheGroup {
        try GroupReference(
            name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        ).open(access)
    }

    /// The name of the group.
    public var name: String { opened.group }

    /// Where the records are stored, and why.
    public var location: StorageLocation { opened.location }

    /// Why the group cannot be written; `nil` if it can.
    public var readOnlyReason: TokenCacheError? { opened.store.readOnlyReason.map { TokenCacheError($0) } }

    /// Why another store may still contain records of the group, including tokens of accounts that have signed out since:
    /// `busy` during a migration or a change of keys, `readOnly`, `groupElsewhere` if the folder may be a copy, or the error
    /// of that store. Determined when the group is opened; `nil` if there is nothing left.
    public var leftoverProblem: TokenCacheError? { opened.leftoverProblem }

    /// Releases the store. Later calls fail with `closed`. Caches of the group stay open.
    public func close() {
        opened.store.close()
    }

    /// The deadline of a call that begins now.
    func newDeadline() -> Deadline { newTime().deadline }

    /// Records that the whole group was read since `begun`. If the store reads without waiting, that time was work and
    /// does not count against the timeout.
    func noteReading(since begun: SuspendingClock.Instant, _ time: WaitingTime) {
        if opened.store.readsWithoutWaiting { time.extend(by: SuspendingClock.now - begun) }
    }

    /// How long a call that begins now may wait.
    func newTime() -> WaitingTime { sharedTime ?? WaitingTime(timeout) }
}

extension CacheGroup {
    /// Returns the group as one application sees it: its accounts, and the result of a silent request.
    ///
    /// The cache has a store of its own, so that it sees what the group and its other caches change, and either can be
    /// closed without the other. Opening that reads the head of a file, or the list of the group's items in the keyring:
    /// keep the cache rather than making one for each call.
    ///
    /// - Parameters:
    ///   - clientID: the application, as it is registered.
    ///   - options: clock, timeout and clouds; by default the timeout of the group. If the group shares a timeout, the
    ///     cache shares it too, unless options are given.
    /// - Returns: the cache.
    /// - Throws: `invalidRequest` for a blank client id, `malformedDocument` for clouds that would join two, `closed`,
    ///   `forkedProcess`, and the errors of opening the store again.
    public func tokenCache(
        clientID: String,
        options: TokenCacheOptions? = nil
    ) throws(TokenCacheError) -> TokenCache {
        try tokenCache(
            clientID: clientID,
            options: options,
            on: try opened.translating(try opened.snapshot(until: newDeadline()))
        )
    }

    /// A cache on a store of its own, which is closed with the cache, or if there is an error.
    func tokenCache(
        clientID: String,
        options: TokenCacheOptions? = nil,
        on store: any AdministrableStore
    ) throws(TokenCacheError) -> TokenCache {
        do throws(TokenCacheError) {
            return try TokenCache(
                store: store,
                unlockedKeys: opened.unlockedKeys,
                clientID: clientID,
                options: options ?? TokenCacheOptions(timeout: timeout),
                sharing: options == nil ? sharedTime : nil,
                location: opened.location
            )
        } catch {
            store.close()
            throw error
        }
    }
}
