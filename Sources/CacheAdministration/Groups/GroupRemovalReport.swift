// SPDX-License-Identifier: Apache-2.0

/// What a removal of a group removed, or would, and what stays.
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
            /// The record of which group was in the folder, beside the key files.
            case pin
            /// Its items in the keyring: records, keys, and what opens its file.
            case keyringItems = "keyring_items"
        }

        /// What it is.
        public let kind: Kind
        /// Where it is; `nil` for items of the keyring.
        public let path: String?
        /// The number of files or items.
        public let count: Int
        /// The size of the files in bytes; `nil` for items of the keyring.
        public let byteCount: UInt64?
        /// Why it stays, and what to do: sentences to display. `nil` if it does not stay.
        public let reason: String?
        /// Whether it stays although it belongs to this group alone, or may: removing the group again, once the reason is
        /// gone, removes it too.
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

    /// Whether nothing was changed, because only the plan was asked for.
    public let isDryRun: Bool
    /// What was removed, or would be.
    public package(set) var removed: [Part] = []
    /// What stays.
    public package(set) var kept: [Part] = []

    /// Whether nothing stays that belongs to the group alone.
    public var isComplete: Bool { !kept.contains(where: \.isLeftover) }

    package init(isDryRun: Bool) {
        self.isDryRun = isDryRun
    }
}
