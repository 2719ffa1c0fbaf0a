// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// Something in a keyring that is not as it was written. Identifies partitions by tag and contains no content.
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
        /// The item is stored as another partition than its content says.
        case misplaced
        /// The keyring has newer items than the list.
        case listBehind
        /// There is no list, so missing items cannot be detected.
        case unlisted
        /// Items belong to another group of this name.
        case foreign
    }

    package let kind: Kind
    /// The partition concerned, if it is known.
    package let partition: PartitionTag?
    /// The number of lost records; `nil` if it is unknown.
    package let lostCount: Int?
    private let itemCount: Int

    init(_ kind: Kind, _ partition: PartitionTag? = nil, losing lostCount: Int? = 0, itemCount: Int = 1) {
        self.kind = kind
        self.itemCount = itemCount
        self.partition = partition
        self.lostCount = lostCount
    }

    /// Whether something is lost or cannot be trusted.
    package var isDamage: Bool { kind != .unlisted && kind != .foreign }
}

extension KeyringFinding: CustomStringConvertible {
    /// One sentence to display.
    package var description: String {
        switch kind {
        case .missing: "an item\(records) is missing in the keyring"
        case .older: "an item\(records) is older in the keyring than what was written last; it may have been put back"
        case .damaged: "an item\(records) does not verify"
        case .returned: "an item that was removed is in the keyring again"
        case .misplaced: "an item lies in the place of another one"
        case .listBehind:
            "the list of items is older than what the keyring holds"
                + (lostCount == nil ? ", and cannot tell whether something is missing" : "")
        case .unlisted: "there is no list of the items, so nobody can tell whether one is missing"
        case .foreign:
            (itemCount == 1 ? "1 item of the keyring is" : "\(itemCount) items of the keyring are")
                + " of another group that had this name; a repair leaves that alone"
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
