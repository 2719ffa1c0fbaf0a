internal import TokenCaching

/// Where the bytes of a document go.
protocol ByteSink: AnyObject {
    /// Takes all of `bytes`, which hold secrets.
    func write(_ bytes: RawSpan) throws(TokenCacheError)

    /// All is written: makes it lasting. Until then nothing of it is seen, where that can be.
    func finish() throws(TokenCacheError)

    /// Takes back what was written, so that the document can begin anew.
    ///
    /// - Returns: false where some of it is out of reach already.
    func restart() -> Bool
}

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
