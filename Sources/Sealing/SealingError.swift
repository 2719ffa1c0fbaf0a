/// Why something could not be sealed, opened or unlocked. Never holds key material, a secret or a name.
package struct SealingError: Error, Hashable, Sendable {
    /// The case that callers tell apart.
    package let code: Code

    package init(_ code: Code) {
        self.code = code
    }

    /// The cases that callers tell apart.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The bytes do not verify under this key and these circumstances. It is never said why.
        case authenticationFailed
        /// No key slot opens with the secret that was given.
        case keyRejected
        /// The secret for a slot has a length that is not allowed.
        case invalidSecret
        /// The cost of a passphrase slot is outside the accepted bounds; nothing was computed.
        case unsupportedKDF
        /// Called in a child process after `fork`, where all keys are gone on purpose.
        case forkedProcess
        /// The system gave no memory.
        case outOfMemory
        /// Bytes that have not the form that they must have.
        case malformed
        /// Larger than one sealed box may be.
        case tooLarge
        /// Written by a newer version, or under a cipher suite that this version does not know.
        case unsupportedVersion
        /// All eight key slots are in use, or there is no room left for one more.
        case tooManySlots
        /// A group has one passphrase slot at most.
        case passphraseSlotExists
        /// No slot bears this id.
        case slotNotFound
        /// The last slot cannot be removed: nobody could open the group any more.
        case lastSlot
        /// The keys belong to another group or epoch than the slots.
        case foreignKeys
        /// The last epoch number is used up.
        case epochExhausted
    }
}

extension SealingError: CustomStringConvertible {
    /// One sentence for people.
    package var description: String {
        switch code {
        case .authenticationFailed: "The sealed data does not verify."
        case .keyRejected: "No key slot opens with this secret."
        case .invalidSecret: "A key file must hold 32 to 4096 bytes, a keyring secret 32, a passphrase 1 to 4096."
        case .unsupportedKDF: "The cost of the passphrase slot is outside the accepted bounds."
        case .forkedProcess: "Keys are not available in a forked child process; open the group again after exec."
        case .outOfMemory: "There is not enough memory."
        case .malformed: "The data has not the expected form."
        case .tooLarge: "The data is larger than one sealed box may be."
        case .unsupportedVersion: "The data was written by a newer version."
        case .tooManySlots: "All key slots are in use."
        case .passphraseSlotExists: "There is a passphrase slot already."
        case .slotNotFound: "There is no such key slot."
        case .lastSlot: "The last key slot cannot be removed."
        case .foreignKeys: "The keys belong to another group or epoch."
        case .epochExhausted: "The key cannot be changed any more often."
        }
    }
}
