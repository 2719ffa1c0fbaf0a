package import RecordStorage
package import Sealing
internal import SystemPackage
package import UnifiedSchema

extension StorageError {
    /// A sealing error as a storage error, for code that runs inside a store's calls.
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

extension StorageError {
    /// The error of decoding something that came out of a store: we sealed it, so any mismatch is damage, unless a
    /// newer version wrote it.
    package init(stored error: SchemaError) {
        self.init(error.code == .unsupportedVersion ? .unsupportedVersion : .damaged, detail: error.rule)
    }
}

/// Runs `body` and turns sealing errors into storage errors.
@inline(__always)
package func sealing<Result: ~Copyable>(_ body: () throws(SealingError) -> Result) throws(StorageError) -> Result {
    do throws(SealingError) {
        return try body()
    } catch {
        throw StorageError(error)
    }
}
