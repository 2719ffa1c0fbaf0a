internal import GroupRecords
internal import RecordStorage
package import Sealing

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
