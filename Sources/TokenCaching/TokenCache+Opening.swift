// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension TokenCache {
    /// Opens the cache of a group for one of its applications, and creates the group if there is none.
    ///
    /// May block: it waits for the group's lock and for the keyring up to the timeout, stretches a passphrase (about
    /// half a second), and prompts for one if `storage` says so. The options say whether the keyring may prompt the
    /// user. It cannot be called from tasks: in a task, and on a thread that must not wait, use
    /// ``open(group:clientID:root:storage:options:)``.
    ///
    /// ```swift
    /// let cache = try TokenCache(group: "com.contoso.sso", clientID: "6c05f7a1-7c3c-4e1c-8e4e-6f6a1d6a8a55")
    /// ```
    ///
    /// - Parameters:
    ///   - group: the name that all applications of the group use: 1 to 128 letters, digits, dots, dashes and
    ///     underscores, without a leading dot.
    ///   - clientID: the application, as it is registered.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: where the group keeps its records, and what unlocks it.
    ///   - options: clock, timeout, clouds, prompts and the event handler.
    /// - Throws: ``TokenCacheError/Code/invalidName``, ``TokenCacheError/Code/invalidRequest`` for an empty client id,
    ///   ``TokenCacheError/Code/keyMissing``, ``TokenCacheError/Code/keyRejected``,
    ///   ``TokenCacheError/Code/storageMismatch``, ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/busy``,
    ///   ``TokenCacheError/Code/unsafePermissions`` and other codes about files; where there is a keyring
    ///   ``TokenCacheError/Code/keyringLocked``, ``TokenCacheError/Code/timeout``,
    ///   ``TokenCacheError/Code/keyringItemMissing``, ``TokenCacheError/Code/groupElsewhere``,
    ///   ``TokenCacheError/Code/promptDismissed`` and other codes about it. After these errors, nothing was created or
    ///   chosen. ``TokenCacheError/Code/malformedDocument`` if the options' clouds would join two clouds; this is
    ///   checked last, when the group exists.
    @available(*, noasync, message: "this initializer blocks a thread that other tasks need; use TokenCache.open")
    public convenience init(
        group: String,
        clientID: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        options: TokenCacheOptions = TokenCacheOptions()
    ) throws(TokenCacheError) {
        let openedAt = ClockReading.now(options.clock)
        let opened = try Self.reporting(
            .open,
            to: options.onEvent,
            try translating(
                try Self.openGroup(group, clientID: clientID, root: root, storage: storage, options: options)
            )
        )
        let file = options.startsThreads ? nil : opened.store.fileBacked
        file?.compactOnlyOnRequest()
        try self.init(
            store: opened.store,
            unlockedKeys: opened.unlockedKeys,
            clientID: clientID,
            options: options,
            location: opened.location,
            maintainedFile: file
        )
        engine.noteOpening(openedAt)
    }

    private static func openGroup(
        _ name: String,
        clientID: String,
        root: String?,
        storage: StorageChoice,
        options: TokenCacheOptions
    ) throws(StorageError) -> OpenedGroup {
        // Check before a group is created for the client.
        try checkClientID(clientID)
        return try GroupOpener(
            try GroupLocation(name, root: root, environment: Environment.folders),
            storage: storage,
            access: .create,
            timeout: options.timeout,
            prompts: options.prompts
        ).open()
    }

    /// Opens the cache of a group on a thread of its own, without blocking the calling thread.
    ///
    /// For parameters and errors, see ``init(group:clientID:root:storage:options:)``. Cancelling the task does not
    /// interrupt the work, which ends by the timeout.
    ///
    /// ```swift
    /// let cache = try await TokenCache.open(group: "com.contoso.sso", clientID: clientID)
    /// ```
    public static func open(
        group: String,
        clientID: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        options: TokenCacheOptions = TokenCacheOptions()
    ) async throws(TokenCacheError) -> TokenCache {
        try await DedicatedThread.run { () throws(TokenCacheError) in
            try TokenCache(group: group, clientID: clientID, root: root, storage: storage, options: options)
        }
    }
}
