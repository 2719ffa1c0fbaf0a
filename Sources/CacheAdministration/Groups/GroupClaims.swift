// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

/// What the files in a folder say about its group, as far as they can be read without a key. Anyone who can write to
/// the folder can forge them.
struct GroupClaims: Hashable {
    /// The state file; `nil` if it is missing or damaged.
    private(set) var state: StoreState?
    /// The groups that the state file and the journal name.
    let groups: Set<GroupUUID>
    /// Whether the group may have items in the keyring; `nil` if that is unknown.
    let usesKeyring: Bool?
    /// Whether there is a state file, a journal, or a file of a store that needs a state file.
    let isGroup: Bool

    /// - Throws: ``StorageError/Code/unsupportedVersion`` for a state file of a newer version, and the error of a file that
    ///   this user may not read: the group may be sound.
    init(of directory: GroupDirectory) throws(StorageError) {
        state = try Self.read { () throws(StorageError) in try directory.readState() }
        let look = try Self.read { () throws(StorageError) in try FileStore.look(in: directory) } ?? .foreign
        let journal = try Self.read { () throws(StorageError) in try FileStore.claimedGroup(in: directory) }
        let hasItemList = try Self.read { () throws(StorageError) in try SecretServiceStore.hasList(in: directory) }
        groups = Set([journal, state.flatMap { GroupUUID($0.group) }].compactMap(\.self))
        let needingState = (try? [any StorageBackend].all.needingState(in: directory)) ?? nil
        isGroup = state != nil || needingState != nil || look == .journal || look == .truncated
        usesKeyring = Self.usesKeyring(
            state,
            slots: FileStore.claimedSlots(in: directory),
            hasItemList: hasItemList ?? false
        )
    }

    /// What a file says; nil if it is missing or damaged.
    private static func read<Value>(
        _ body: () throws(StorageError) -> Value?
    ) throws(StorageError) -> Value? {
        do throws(StorageError) {
            return try body()
        } catch {
            if error.code == .unsupportedVersion || error.errno == .permissionDenied { throw error }
            return nil
        }
    }

    /// These claims once the group's creation is complete, which the next opening does if it was interrupted.
    var completed: GroupClaims {
        var claims = self
        claims.state?.phase = .ready
        claims.state?.authenticator = nil
        return claims
    }

    private static func usesKeyring(
        _ state: StoreState?,
        slots: KeySlots?,
        hasItemList: Bool
    ) -> Bool? {
        let stores = [state?.storage].compactMap(\.self) + (state?.otherStores.map(\.storage) ?? [])
        let isNamed = stores.contains(where: \.isInKeyring) || state?.collection != nil
        if hasItemList || isNamed { return true }
        if let slots { return slots.haveSecret(in: .keyring) }
        return nil
    }
}
