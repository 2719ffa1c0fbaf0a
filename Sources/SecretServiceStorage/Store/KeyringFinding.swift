// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// A problem with a group's items in a keyring. Identifies partitions by tag and contains no content.
package struct KeyringFinding: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// The list has the partition, but no item does.
        case missing
        /// The item is older than the list says.
        case older
        /// The item does not verify.
        case damaged
        /// The item belongs to a partition that was removed.
        case returned
        /// The attributes of the item name another partition than its content.
        case misplaced
        /// The keyring has newer items than the list.
        case listBehind
        /// The list is missing, so missing items cannot be detected.
        case unlisted
        /// Items belong to another group of this name.
        case foreign
    }

    package let kind: Kind
    /// The affected partition, if known.
    package let partition: PartitionTag?
    /// The number of lost records; `nil` if unknown.
    package let lostCount: Int?
    private let itemCount: Int

    init(_ kind: Kind, _ partition: PartitionTag? = nil, losing lostCount: Int? = 0, itemCount: Int = 1) {
        self.kind = kind
        self.itemCount = itemCount
        self.partition = partition
        self.lostCount = lostCount
    }

    /// Whether data is lost or cannot be trusted.
    package var isDamage: Bool { kind != .unlisted && kind != .foreign }
}

extension KeyringFinding: CustomStringConvertible {
    /// One sentence to display.
    package var description: String {
        switch kind {
        case .missing: "an item\(records) is missing in the keyring"
        case .older: "an item\(records) in the keyring is older than the last one written; it may have been restored"
        case .damaged: "an item\(records) does not verify"
        case .returned: "a removed item is in the keyring again"
        case .misplaced: "an item is stored under the attributes of another one"
        case .listBehind:
            "the list of items is older than the items in the keyring"
                + (lostCount == nil ? ", and cannot show whether an item is missing" : "")
        case .unlisted: "the list of items is missing, so it is unknown whether an item is missing"
        case .foreign:
            (itemCount == 1 ? "1 item of the keyring is" : "\(itemCount) items of the keyring are")
                + " left from another group of this name; a repair does not touch them"
        }
    }

    private var records: String {
        switch lostCount {
        case nil: " with an unknown number of records"
        case 0: ""
        case 1: " with 1 record"
        case let count?: " with \(count) records"
        }
    }
}
