// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing
package import UnifiedSchema

extension StorageError {
    /// A sealing error as a storage error.
    package init(_ error: SealingError) {
        switch error.code {
        case .authenticationFailed, .malformed: self.init(.damaged)
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

    /// The error of decoding something that came out of a store: we sealed it, so any mismatch is damage, unless a
    /// newer version wrote it.
    package init(stored error: SchemaError) {
        self.init(error.code == .unsupportedVersion ? .unsupportedVersion : .damaged, detail: error.rule)
    }

    /// The error of reading a document that the caller passed.
    package init(document error: SchemaError) {
        let code: Code =
            switch error.code {
            case .malformedJSON, .unexpectedEnd, .duplicateName, .notAnObject, .notAnArray, .invalidEntry:
                .malformedDocument
            case .limitExceeded: .tooLarge
            case .malformedFacts: .damaged
            case .unsupportedVersion: .unsupportedVersion
            }
        let detail = error.line.map { "\(error.rule); line \($0)" } ?? error.rule
        self.init(code, detail: detail, byteOffset: error.byteOffset)
    }
}

/// Evaluates `call`, and throws its sealing error as a storage error.
@inline(__always)
package func sealing<Result: ~Copyable>(
    _ call: @autoclosure () throws(SealingError) -> Result
) throws(StorageError) -> Result {
    do throws(SealingError) {
        return try call()
    } catch {
        throw StorageError(error)
    }
}

extension RecordCodec {
    /// Evaluates `call`, which decodes something that came out of a store, and throws its error as a storage error.
    @inlinable package static func decoding<Result: ~Copyable>(
        _ call: @autoclosure () throws(SchemaError) -> Result
    ) throws(StorageError) -> Result {
        do throws(SchemaError) {
            return try call()
        } catch {
            throw StorageError(stored: error)
        }
    }
}
