package import RecordStorage
package import Sealing
internal import SystemPackage

extension TokenCacheError {
    /// What sealing said, in the terms of the public interface.
    package init(_ error: SealingError) {
        self.init(StorageError(error))
        guard let code = Code(error.code) else { return }
        self.init(code)
    }
}

extension TokenCacheError.Code {
    /// Codes that a store has no word for; nil for the others.
    fileprivate init?(_ code: SealingError.Code) {
        switch code {
        case .outOfMemory: self = .outOfMemory
        case .tooManySlots: self = .tooManySlots
        case .passphraseSlotExists: self = .passphraseSlotExists
        case .slotNotFound: self = .slotNotFound
        case .lastSlot: self = .lastSlot
        default: return nil
        }
    }
}

extension StorageError {
    /// What sealing said, in a store's terms: for code that runs inside a store's calls.
    package init(_ error: SealingError) {
        switch error.code {
        case .authenticationFailed, .malformed: self.init(.damaged)
        case .keyRejected: self.init(.keyRejected)
        case .invalidSecret: self.init(.keyFileInvalid)
        case .unsupportedKDF: self.init(.unsupportedKDF)
        case .forkedProcess: self.init(.forkedProcess)
        case .outOfMemory: self.init(.system, detail: "no memory for secrets", errno: .noMemory)
        case .tooLarge: self.init(.tooLarge)
        case .unsupportedVersion: self.init(.unsupportedVersion)
        case .tooManySlots, .passphraseSlotExists: self.init(.exists, detail: "no room for another key slot")
        case .slotNotFound, .lastSlot: self.init(.notFound, detail: "no such key slot can be removed")
        case .foreignKeys: self.init(.foreign)
        case .epochExhausted: self.init(.tooLarge, detail: "the key cannot be changed any more often")
        }
    }
}
