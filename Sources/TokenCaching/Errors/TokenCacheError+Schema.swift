package import RecordStorage
package import UnifiedSchema

extension TokenCacheError {
    /// What a reader of documents said, in the terms of the public interface. For documents that somebody handed over;
    /// for what was read from a store see ``StorageError/init(stored:)``.
    package init(_ error: SchemaError) {
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

extension StorageError {
    /// What a reader of facts or payloads said of something that came out of a store: it was sealed by us, so whatever
    /// does not fit is damage, unless a newer version wrote it.
    package init(stored error: SchemaError) {
        self.init(error.code == .unsupportedVersion ? .unsupportedVersion : .damaged, detail: error.rule)
    }
}
