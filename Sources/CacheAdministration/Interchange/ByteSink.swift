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
