// SPDX-License-Identifier: Apache-2.0

internal import Sealing

/// The key items of one group in a keyring, and which of them is current.
struct KeyItems: Sendable {
    /// The current key item: that of the newest epoch, preferably without older keys.
    let newest: KeyItem
    /// Items left behind by a change of keys.
    let superseded: [KeyringItem]

    /// Whether only the newest keys are still in use.
    var isFinal: Bool { newest.epochs.count == 1 }

    /// `nil` if no item belongs to this group.
    init?(_ found: [(item: KeyringItem, content: KeyItem)], of group: String) {
        let own = found.filter { $0.content.group.description == group }
        let best = own.max { left, right in
            let (older, newer) = (left.content.epochs, right.content.epochs)
            return (older.last ?? 0, -older.count) < (newer.last ?? 0, -newer.count)
        }
        guard let best else { return nil }
        newest = best.content
        superseded = own.filter { $0.item.path != best.item.path }.map(\.item)
    }
}
