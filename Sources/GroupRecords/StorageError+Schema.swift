// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import UnifiedSchema

extension StorageError {
    /// The error of decoding bytes from a store: the library sealed them, so any mismatch is damage, unless a newer
    /// version wrote them.
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

extension RecordCodec {
    /// Evaluates `call`, which decodes bytes from a store, and throws its error as a storage error.
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
