/// What the file `store` says: where the records of the group are, and why.
package struct StoreState: Hashable, Sendable {
    package var storage: StorageKind
    /// Why this kind of store was chosen: a phrase for people.
    package var reason: String
    /// The UUID of the group, as lowercase text of 36 characters.
    package var group: String
    package var phase: StorePhase
    /// The path of the key file that was named when the group was made, where one was: where to look next time.
    package var keyFile: String?
    /// The collection of the keyring that was named for what the group keeps there, where one was.
    package var collection: String?
    /// The store that the records are being taken to, while the phase is ``StorePhase/moving``.
    package var target: StoreReference?
    /// The store that the records were taken from, as long as something of it may still be there.
    package var leftover: StoreReference?
    /// Whether the keyring is still to be told how far the group has come.
    package var isAnchorPending = false
    /// Vouches for all the rest: 32 bytes that only who has the keys of the group can make. `nil` where nobody vouches.
    package var authenticator: [UInt8]?
    /// Lines of newer versions, kept as they are.
    package var unknownFields: [UnknownField]

    /// A line that this version gives no meaning.
    package struct UnknownField: Hashable, Sendable {
        package let key: String
        /// As it stands in the file, escapes and all.
        package let escapedValue: String

        package init(key: String, escapedValue: String) {
            self.key = key
            self.escapedValue = escapedValue
        }
    }

    /// Whether somebody who believes this removes something: what was left in another store, or was begun there.
    package var namesRemovals: Bool { target != nil || leftover != nil }

    /// The text that ``authenticator`` vouches for.
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

/// Which kind of store keeps the records of a group. A newer version may know more kinds than these.
package struct StorageKind: RawRepresentable, Hashable, Sendable {
    /// One to 32 of `a-z 0-9 -`.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The encrypted file in the group's folder.
    package static let file = StorageKind(rawValue: "file")
    /// The person's keyring.
    package static let keyring = StorageKind(rawValue: "keyring")
}

/// How far the store of a group has come.
package enum StorePhase: String, Hashable, Sendable, CaseIterable {
    /// Being made. Whoever comes next may finish or begin again: nothing was acknowledged yet.
    case creating
    /// In use.
    case ready
    /// Its records are being taken to another kind of store. Nobody writes meanwhile.
    case moving
}

/// One of the stores that a group may have.
package struct StoreReference: Hashable, Sendable {
    package let storage: StorageKind
    /// The collection of the keyring, where one was named.
    package let collection: String?

    package init(_ storage: StorageKind, collection: String? = nil) {
        self.storage = storage
        self.collection = collection
    }
}
