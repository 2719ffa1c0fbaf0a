// SPDX-License-Identifier: Apache-2.0

/// The content of the file `store`: where the records of the group are, and why.
package struct StoreState: Hashable, Sendable {
    package var storage: StorageKind
    /// Why this kind of store was chosen: a phrase to display.
    package var reason: String
    /// The UUID of the group, as lowercase text of 36 characters.
    package var group: String
    package var phase: StorePhase
    /// The path of the key file named when the group was created, if any: where to look for it next time.
    package var keyFile: String?
    /// The keyring collection named for this group, if any.
    package var collection: String?
    /// The store that the records are being migrated to, in the phase ``StorePhase/moving``.
    package var target: StoreReference?
    /// The store that the records were migrated from, as long as some of them may still be there.
    package var leftover: StoreReference?
    /// Whether the anchor in the keyring has not been written yet.
    package var isAnchorPending = false
    /// Authenticates all other fields: 32 bytes that only a holder of the group's keys can produce. `nil` if absent.
    package var authenticator: [UInt8]?
    /// Lines of newer versions, preserved unchanged.
    package var unknownFields: [UnknownField]

    /// A line that this version does not know.
    package struct UnknownField: Hashable, Sendable {
        package let key: String
        /// As written in the file, including escapes.
        package let escapedValue: String

        package init(key: String, escapedValue: String) {
            self.key = key
            self.escapedValue = escapedValue
        }
    }

    /// Whether acting on this state deletes records: those left in another store, or a migration started there.
    package var namesRemovals: Bool { target != nil || leftover != nil }

    /// The text that ``authenticator`` authenticates.
    package var authenticatedText: [UInt8] { Array(StoreStateText.body(of: self).utf8) }

    package init(
        storage: StorageKind,
        reason: String,
        group: String,
        phase: StorePhase,
        keyFile: String? = nil,
        collection: String? = nil,
        target: StoreReference? = nil,
        leftover: StoreReference? = nil,
        unknownFields: [UnknownField] = []
    ) {
        self.storage = storage
        self.reason = reason
        self.group = group
        self.phase = phase
        self.keyFile = keyFile
        self.collection = collection
        self.target = target
        self.leftover = leftover
        self.unknownFields = unknownFields
    }
}

/// The kind of store that keeps a group's records. A newer version may know more kinds than these.
package struct StorageKind: RawRepresentable, Hashable, Sendable {
    /// One to 32 characters of `a-z 0-9 -`.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The encrypted file in the group's folder.
    package static let file = StorageKind(rawValue: "file")
    /// The user's keyring.
    package static let keyring = StorageKind(rawValue: "keyring")
}

/// The life cycle phase of a group's store.
package enum StorePhase: String, Hashable, Sendable, CaseIterable {
    /// Being created. The next process may finish or start over: nothing was acknowledged yet.
    case creating
    /// In use.
    case ready
    /// Its records are being migrated to another kind of store. No process writes meanwhile.
    case moving
}

/// One of the stores that a group may have.
package struct StoreReference: Hashable, Sendable {
    package let storage: StorageKind
    /// The collection of the keyring, if one was named.
    package let collection: String?

    package init(_ storage: StorageKind, collection: String? = nil) {
        self.storage = storage
        self.collection = collection
    }
}
