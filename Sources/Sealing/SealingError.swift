// SPDX-License-Identifier: Apache-2.0

/// The reason why sealing, opening or unlocking failed. Never contains key material, a secret or a name.
package struct SealingError: Error, Hashable, Sendable {
    /// The reason.
    package let code: Code

    package init(_ code: Code) {
        self.code = code
    }

    /// The reasons that callers distinguish.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The bytes do not verify under this key and associated data. The error deliberately does not tell why.
        case authenticationFailed
        /// The given secret opens no key slot.
        case keyRejected
        /// The length of the secret for a slot is not allowed.
        case invalidSecret
        /// The cost of a passphrase slot is outside the accepted bounds, so it was not computed.
        case unsupportedKDF
        /// The call was made in a forked child process, where all keys are deliberately unavailable.
        case forkedProcess
        /// The system is out of memory.
        case outOfMemory
        /// The bytes do not have the required form.
        case malformed
        /// The content is larger than one sealed box may be.
        case tooLarge
        /// A newer version wrote the bytes, or they use an unknown cipher suite.
        case unsupportedVersion
        /// All eight key slots are in use, or the block has no space left for another.
        case tooManySlots
        /// The group already has a passphrase slot; it can have only one.
        case passphraseSlotExists
        /// No slot has this id.
        case slotNotFound
        /// The last slot cannot be removed, because the group could not be opened again.
        case lastSlot
        /// The keys and the slots belong to different groups or epochs.
        case foreignKeys
        /// The highest epoch number is in use.
        case epochExhausted
    }
}

extension SealingError: CustomStringConvertible {
    /// One sentence to display.
    package var description: String {
        switch code {
        case .authenticationFailed: "The sealed data does not verify."
        case .keyRejected: "No key slot opens with this secret."
        case .invalidSecret: "A key file must hold 32 to 4096 bytes, a keyring secret 32, a passphrase 1 to 4096."
        case .unsupportedKDF: "The cost of the passphrase slot is outside the accepted bounds."
        case .forkedProcess: "Keys are not available in a forked child process; open the group again after exec."
        case .outOfMemory: "There is not enough memory."
        case .malformed: "The data does not have the expected form."
        case .tooLarge: "The data is larger than the limit for one sealed box."
        case .unsupportedVersion: "The data was written by a newer version."
        case .tooManySlots: "All key slots are in use."
        case .passphraseSlotExists: "There is already a passphrase slot."
        case .slotNotFound: "There is no such key slot."
        case .lastSlot: "The last key slot cannot be removed."
        case .foreignKeys: "The keys belong to another group or epoch."
        case .epochExhausted: "The limit of key changes is reached."
        }
    }
}
