// SPDX-License-Identifier: Apache-2.0

/// The content of the file `store`: the store that keeps the group's records, and the reason for that choice.
package struct StoreState: Hashable, Sendable {
    package var storage: StorageKind
    /// The reason why this kind of store was chosen, as a phrase to display.
    package var reason: String
    /// The UUID of the group, as lowercase text of 36 characters.
    package var group: String
    package var phase: StorePhase
    /// The identity of the folder for which the library made key files and keyring items outside it: in a copy, they
    /// belong to the original. `nil` in files of older versions.
    package var folder: String?
    /// The collection that has the records of a group in the keyring, if one was named.
    package var collection: String?
    /// The store to which a migration copies the records, as long as it may contain some of them. The group is used as if
    /// there were none.
    package var target: StoreReference?
    /// The store from which the records were migrated, as long as it may still contain some of them.
    package var leftover: StoreReference?
    /// Whether the anchor in the keyring is still to be written.
    package var isAnchorPending = false
    /// Authenticates all other fields, with 32 bytes that only a holder of the group's keys can compute; `nil` if
    /// absent.
    package var authenticator: [UInt8]?
    /// Lines of newer versions, preserved unchanged.
    package var unknownFields: [UnknownField]

    /// A line that this version does not know.
    package struct UnknownField: Hashable, Sendable {
        package let key: String
        /// The value as written in the file, including escapes.
        package let escapedValue: String

        package init(key: String, escapedValue: String) {
            self.key = key
            self.escapedValue = escapedValue
        }
    }

    /// The other stores that may contain records of the group.
    package var otherStores: [StoreReference] { [target, leftover].compactMap(\.self) }

    /// The text that ``authenticator`` authenticates.
    package var authenticatedText: [UInt8] { Array(StoreStateText.body(of: self).utf8) }

    package init(
        storage: StorageKind,
        reason: String,
        group: String,
        phase: StorePhase,
        folder: String? = nil,
        collection: String? = nil,
        target: StoreReference? = nil,
        leftover: StoreReference? = nil,
        unknownFields: [UnknownField] = []
    ) {
        self.storage = storage
        self.reason = reason
        self.group = group
        self.phase = phase
        self.folder = folder
        self.collection = collection
        self.target = target
        self.leftover = leftover
        self.unknownFields = unknownFields
    }
}

/// The life cycle phase of a group's store.
package enum StorePhase: String, Hashable, Sendable, CaseIterable {
    /// Being created. The next process may finish or start over, because no transaction was acknowledged yet.
    case creating
    /// In use.
    case ready
}
