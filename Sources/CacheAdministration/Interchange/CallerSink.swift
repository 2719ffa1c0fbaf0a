internal import TokenCaching

/// A document that is handed to the caller piece by piece.
final class CallerSink: ByteSink {
    private var hasWritten = false
    private let body: (RawSpan) throws(TokenCacheError) -> Void

    init(_ body: @escaping (RawSpan) throws(TokenCacheError) -> Void) {
        self.body = body
    }

    func write(_ bytes: RawSpan) throws(TokenCacheError) {
        hasWritten = true
        try body(bytes)
    }

    func finish() {}

    func restart() -> Bool { !hasWritten }
}
