// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import TokenCaching

/// The kind of store of a group, as typed.
public enum StorageName: String, ExpressibleByArgument, CaseIterable {
    case automatic, keyring, file, memory

    /// The store of the group, and what unlocks it.
    ///
    /// - Parameters:
    ///   - keys: the keys that the options name.
    ///   - standardKeys: the keys to try if the options name none.
    ///   - collection: the keyring collection that the options name: of the group, or of a key of a group in a file.
    ///   - hasFile: whether the group is in a file.
    ///   - isNew: whether the group is being created. A new group gets fewer keys than are tried to open an existing
    ///     one.
    /// - Returns: the storage choice.
    public func choice(
        keys: [FileUnlocking],
        otherwise standardKeys: [FileUnlocking],
        collection: String?,
        hasFile: @autoclosure () -> Bool,
        isNew: Bool
    ) -> StorageChoice {
        switch self {
        case .memory: return .memory
        case .keyring: return .keyring(collection: collection)
        case .automatic where keys.isEmpty && collection == nil: return .automatic
        case .automatic where keys.isEmpty && !hasFile(): return .keyring(collection: collection)
        case .file where keys.isEmpty && isNew: return .file(unlockedBy: .keyFile)
        case .automatic, .file:
            let keys = keys.isEmpty ? standardKeys : keys
            return .file(unlockedBy: keys.count == 1 ? keys[0] : .anyOf(keys))
        }
    }
}

extension StorageLocation.Kind {
    /// Where a group of this kind is, for display: its folder, or the store outside it.
    public func shownPlace(folder: String) -> String {
        switch self {
        case .keyring: "in the keyring"
        case .file, .memory, .unknown: folder
        // A newer library may have more kinds than this program knows.
        @unknown default: folder
        }
    }
}

/// A kind of store to migrate to, as typed.
public enum MigrationTarget: String, ExpressibleByArgument, CaseIterable {
    case keyring, file

    /// The store, and what will unlock it.
    public func choice(collection: String?, newKeyring: Bool) -> StorageChoice {
        switch self {
        case .keyring: .keyring(collection: collection)
        case .file: .file(unlockedBy: newKeyring ? .keyring(collection: collection) : .keyFile)
        }
    }
}
