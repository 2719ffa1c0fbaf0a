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
