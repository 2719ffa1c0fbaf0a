// SPDX-License-Identifier: Apache-2.0

/// The kind of secret that opens a key slot. The raw value is part of the format.
package enum SlotKind: UInt8, Sendable, CaseIterable {
    /// 32 random bytes stored in a keyring.
    case keyring = 1
    /// The content of a file.
    case keyFile = 2
    /// A text that the user remembers.
    case passphrase = 3

    /// Whether the secret can be guessed and is therefore stretched, at a cost stored in the slot.
    var isStretched: Bool {
        switch self {
        case .passphrase: true
        case .keyring, .keyFile: false
        }
    }

    /// Whether the user must provide the secret, in which case it is requested only if no other secret opens the group.
    package var asksUser: Bool {
        switch self {
        case .passphrase: true
        case .keyring, .keyFile: false
        }
    }

    /// Whether a group may have only one slot of this kind, because trying a second one would double the cost of
    /// opening.
    package var isSingle: Bool {
        switch self {
        case .passphrase: true
        case .keyring, .keyFile: false
        }
    }
}

extension Sequence<SlotKind> {
    /// Whether a kind limited to one slot occurs more than once.
    package var hasTooManyOfOneKind: Bool {
        var found: Set<SlotKind> = []
        return contains { $0.isSingle && !found.insert($0).inserted }
    }
}
