// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
public import TokenCaching

/// A group and how to unlock it: what a tool repeats for each call on a group that it does not have open.
///
/// ```swift
/// let reference = GroupReference("com.contoso.sso", timeout: .seconds(10))
/// let report = try reference.repair()
/// let group = try reference.open()
/// ```
///
/// A value: making one reads nothing, and the group need not exist.
public struct GroupReference: Sendable {
    /// The name of the group: 1 to 128 letters, digits, dots, dashes and underscores, no leading dot.
    public var name: String
    /// The parent of group folders; `nil` for `$XDG_DATA_HOME/swift-token-cache`.
    public var root: String?
    /// Where the group keeps its records, and what unlocks it.
    public var storage: StorageChoice
    /// Other ways to unlock an existing group in the encrypted file, if the storage is chosen automatically.
    public var fallbackUnlocking: [FileUnlocking]
    /// How long calls wait for a lock that another process holds, and for the keyring.
    public var timeout: Duration
    /// Whether the keyring may prompt the user.
    public var prompts: KeyringPrompts

    /// Creates a reference; without options, to a group of this user that the library can unlock by itself.
    public init(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) {
        self.name = name
        self.root = root
        self.storage = storage
        self.fallbackUnlocking = fallbackUnlocking
        self.timeout = timeout
        self.prompts = prompts
    }

    /// Opens the group.
    ///
    /// - Parameters:
    ///   - access: whether to create the group, and whether to write to it.
    ///   - shared: the timeout that opening the group and all its calls share, instead of ``timeout`` for each.
    /// - Returns: the open group.
    /// - Throws: `notFound`, `invalidName`, `keyMissing`, `keyRejected`, `storageMismatch`, `damaged`,
    ///   `unsafePermissions` and other codes about files; if a keyring is used, `keyringMissing`, `keyringLocked`,
    ///   `keyringItemMissing`, `groupElsewhere`, `promptDismissed`, `promptPending` and `timeout`.
    public func open(
        _ access: GroupAccess = .readWrite,
        sharing shared: SharedTimeout? = nil
    ) throws(TokenCacheError) -> CacheGroup {
        var opener = try opener(access, timeout: shared?.remaining)
        opener.shared = shared?.time
        return CacheGroup(
            try translating(try opener.open()),
            timeout: opener.timeout,
            sharing: shared,
            created: access == .create ? opener.location : nil
        )
    }

    var location: GroupLocation {
        get throws(TokenCacheError) {
            try translating(try GroupLocation(name, root: root, environment: Environment.folders))
        }
    }

    func opener(
        _ access: GroupAccess = .readWrite,
        timeout limit: Duration? = nil
    ) throws(TokenCacheError) -> GroupOpener {
        var opener = GroupOpener(
            try location,
            storage: storage,
            access: access,
            timeout: limit ?? timeout,
            prompts: prompts
        )
        opener.fallbackUnlocking = fallbackUnlocking
        return opener
    }
}
