// SPDX-License-Identifier: Apache-2.0

/// Describes what a requested passphrase is for.
public struct PassphraseRequest: Hashable, Sendable {
    /// Why a passphrase is needed. Later versions may have more.
    @nonexhaustive
    public enum Purpose: String, Hashable, Sendable {
        /// A group is being created: this becomes its passphrase.
        case create
        /// A group is being opened.
        case open
        /// Another process changed the keys of a group that is open here.
        case reopen
        /// The keys of a group are being changed: this is its current passphrase, which stays.
        case keep
        /// A passphrase is being added to a group.
        case addSlot
    }

    /// The name of the group.
    public let group: String
    /// Why it is needed.
    public let purpose: Purpose

    /// Creates a request, as the library does: for tests of a closure that asks for passphrases.
    public init(group: String, purpose: Purpose) {
        self.group = group
        self.purpose = purpose
    }
}
