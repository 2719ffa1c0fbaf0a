// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import TokenCaching

/// Where a group keeps its records, as typed.
public enum StorageName: String, ExpressibleByArgument, CaseIterable {
    case automatic, keyring, file, memory

    /// Where the group is, and what unlocks it.
    ///
    /// - Parameters:
    ///   - keys: the keys that the options name.
    ///   - standardKeys: what is tried if they name none.
    ///   - collection: the collection of the keyring that they name.
    ///   - isNew: whether the group is created. More secrets may open a group than a new one should get.
    /// - Returns: the choice.
    public func choice(
        keys: [FileUnlocking],
        otherwise standardKeys: [FileUnlocking],
        collection: String?,
        isNew: Bool
    ) -> StorageChoice {
        switch self {
        case .memory: return .memory
        case .keyring: return .keyring(collection: collection)
        case .automatic where keys.isEmpty && collection == nil: return .automatic
        case .file where keys.isEmpty && isNew: return .file(unlockedBy: .keyFile)
        case .automatic, .file:
            let keys = keys.isEmpty ? standardKeys : keys
            return .file(unlockedBy: keys.count == 1 ? keys[0] : .anyOf(keys))
        }
    }
}

/// A kind of store to migrate to, as typed.
public enum MigrationTarget: String, ExpressibleByArgument, CaseIterable {
    case keyring, file

    /// Whether something opens its key slots.
    public var hasKeySlots: Bool {
        switch self {
        case .keyring: false
        case .file: true
        }
    }

    /// The store, and what is to open it.
    public func choice(collection: String?, newKeyring: Bool) -> StorageChoice {
        switch self {
        case .keyring: .keyring(collection: collection)
        case .file: .file(unlockedBy: newKeyring ? .keyring(collection: collection) : .keyFile)
        }
    }
}
