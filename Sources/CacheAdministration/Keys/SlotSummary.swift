// SPDX-License-Identifier: Apache-2.0

internal import Sealing
internal import TokenCaching

/// A key slot of a group: one of the ways to open it. Nothing in it is secret.
public struct SlotSummary: Hashable, Sendable {
    /// The kind of secret that opens a slot. The raw value names it in JSON.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// The key file that the library created for the group.
        case ownKeyFile = "own_key_file"
        /// A key file of the caller.
        case keyFile = "key_file"
        /// A passphrase.
        case passphrase
        /// An item of a keyring.
        case keyring
        /// A kind that only a newer version knows.
        case unknown

        /// The name to show to users. Programs use the raw value.
        public var displayName: String {
            switch self {
            case .ownKeyFile: "own key file"
            case .keyFile: "key file"
            case .passphrase: "passphrase"
            case .keyring: "keyring"
            case .unknown: "something newer"
            }
        }

        /// Whether the library finds the secret without the caller's help.
        public var isFoundByLibrary: Bool {
            switch self {
            case .ownKeyFile, .keyring: true
            case .keyFile, .passphrase, .unknown: false
            }
        }
    }

    /// The id of the slot: 32 hexadecimal digits.
    public let id: String
    /// The kind of secret that opens it.
    public let kind: Kind
    /// The path of the key file, if it is known.
    public let keyFilePath: String?
    /// The memory needed to try a passphrase, in bytes.
    public let passphraseMemoryByteCount: Int?
    /// The number of passes over that memory.
    public let passphrasePassCount: Int?
}

extension SlotSummary {
    init(_ held: SlotHolder.Held) {
        id = held.slot.id.description
        kind =
            switch held.slot.kind {
            case .keyFile: held.keyFile?.isOwn == true ? .ownKeyFile : .keyFile
            case .passphrase: .passphrase
            case .keyring: .keyring
            case nil: .unknown
            }
        keyFilePath = held.keyFile?.path
        passphraseMemoryByteCount = held.slot.parameters?.memLimit
        passphrasePassCount = held.slot.parameters.map { Int($0.opsLimit) }
    }
}

extension SlotSummary.Kind {
    /// The kind in the format; nil if this version does not know it.
    var slotKind: SlotKind? {
        switch self {
        case .ownKeyFile, .keyFile: .keyFile
        case .passphrase: .passphrase
        case .keyring: .keyring
        case .unknown: nil
        }
    }
}

extension SlotSummary {
    /// The secret that opens the slot, as part of a sentence.
    var opener: String {
        switch kind {
        case .ownKeyFile: "the group's own key file, \(keyFilePath ?? "which is missing")"
        case .keyFile: "a key file" + (keyFilePath.map { ", \($0)" } ?? "")
        case .passphrase: "a passphrase"
        case .keyring: "an item in the keyring"
        case .unknown: "a kind that only a newer version knows"
        }
    }

    /// What the slot protects against, and what it does not.
    var protection: String? {
        switch kind {
        case .ownKeyFile, .keyFile:
            "Protects copies of the folder without the key file. Does not protect against programs of this user, or if an "
                + "unencrypted disk is stolen."
        case .passphrase:
            "Protects the folder wherever it is, as far as the passphrase resists guessing. Does not protect against "
                + "programs of this user while it is open."
        case .keyring:
            "Protects while the keyring is locked. Does not protect against programs of this user once it is unlocked."
        case .unknown: nil
        }
    }
}
