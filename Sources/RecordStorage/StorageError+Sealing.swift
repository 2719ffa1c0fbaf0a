// SPDX-License-Identifier: Apache-2.0

package import Sealing

extension StorageError {
    /// Converts a sealing error to a storage error.
    ///
    /// - Parameters:
    ///   - error: the sealing error.
    ///   - damage: the detail if bytes do not verify or are malformed.
    package init(_ error: SealingError, damage: String? = nil) {
        switch error.code {
        case .authenticationFailed, .malformed: self.init(.damaged, detail: damage)
        case .keyRejected: self.init(.keyRejected)
        case .invalidSecret: self.init(.keyFileInvalid)
        case .unsupportedKDF: self.init(.unsupportedKDF)
        case .forkedProcess: self.init(.forkedProcess)
        case .outOfMemory: self.init(.outOfMemory)
        case .tooLarge: self.init(.tooLarge)
        case .unsupportedVersion: self.init(.unsupportedVersion)
        case .tooManySlots: self.init(.tooManySlots)
        case .passphraseSlotExists: self.init(.passphraseSlotExists)
        case .slotNotFound: self.init(.slotNotFound)
        case .lastSlot: self.init(.lastSlot)
        case .foreignKeys: self.init(.foreign)
        case .epochExhausted: self.init(.tooLarge, detail: "the limit of key changes is reached")
        }
    }
}

/// Evaluates `call`, converting a sealing error with ``StorageError/init(_:damage:)``.
@inline(__always)
package func sealing<Result: ~Copyable>(
    damage: @autoclosure () -> String? = nil,
    _ call: @autoclosure () throws(SealingError) -> Result
) throws(StorageError) -> Result {
    do throws(SealingError) {
        return try call()
    } catch {
        throw StorageError(error, damage: damage())
    }
}
