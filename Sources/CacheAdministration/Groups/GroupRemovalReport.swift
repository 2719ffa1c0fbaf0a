// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// What the removal of a group removed, or would remove, and what stays.
public struct GroupRemovalReport: Hashable, Sendable {
    /// Something that belongs to a group.
    public struct Part: Hashable, Sendable {
        /// The kinds of things that belong to a group.
        @nonexhaustive
        public enum Kind: String, Hashable, Sendable {
            /// The folder of the group with the files in it.
            case folder
            /// A key file that the library made for it.
            case keyFile = "key_file"
            /// Its items in the keyring: records, keys, and the secret that opens its file.
            case keyringItems = "keyring_items"
        }

        /// The kind of part.
        public let kind: Kind
        /// Where it is; `nil` for items of the keyring.
        public let path: String?
        /// The number of files or items.
        public let count: Int
        /// The size of the files in bytes; `nil` for items of the keyring.
        public let byteCount: UInt64?
        /// Why it stays, and what to do about it, in sentences to display; `nil` if it does not stay.
        public let reason: String?
        /// Whether it stays although it belongs, or may belong, to this group alone. Removing the group again, once the
        /// reason is gone, removes it too.
        public let isLeftover: Bool

        init(
            _ kind: Kind,
            path: String?,
            count: Int = 1,
            byteCount: UInt64? = nil,
            reason: String? = nil,
            isLeftover: Bool = false
        ) {
            self.kind = kind
            self.path = path
            self.count = count
            self.byteCount = byteCount
            self.reason = reason
            self.isLeftover = isLeftover
        }
    }

    /// Whether the removal was only planned, and nothing was changed.
    public let isDryRun: Bool
    /// What was removed, or would be removed.
    public package(set) var removed: [Part] = []
    /// What stays.
    public package(set) var kept: [Part] = []

    /// Whether nothing stays that belongs only to the group.
    public var isComplete: Bool { !kept.contains(where: \.isLeftover) }

    package init(isDryRun: Bool) {
        self.isDryRun = isDryRun
    }
}

extension GroupRemovalReport.Part.Kind {
    /// The secrets that the library keeps in a place for the key slots of a group.
    init(_ place: SecretPlace) {
        self =
            switch place {
            case .keyFiles: .keyFile
            case .keyring: .keyringItems
            }
    }
}
