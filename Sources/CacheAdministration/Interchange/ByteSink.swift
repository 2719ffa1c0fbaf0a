// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import TokenCaching

/// The destination of a document's bytes.
protocol ByteSink: AnyObject {
    /// Writes all of `bytes`, which contain secrets.
    func write(_ bytes: RawSpan) throws(StorageError)

    /// Makes the complete document durable. If possible, nothing is visible before this.
    func finish() throws(StorageError)

    /// Discards what was written, so that the document can be written again from the start.
    ///
    /// - Returns: false if some bytes cannot be withdrawn.
    func restart() -> Bool
}

/// Passes a document to the caller piece by piece.
final class CallerSink: ByteSink {
    private var hasWritten = false
    private let body: (RawSpan) throws(TokenCacheError) -> Void

    init(_ body: @escaping (RawSpan) throws(TokenCacheError) -> Void) {
        self.body = body
    }

    func write(_ bytes: RawSpan) throws(StorageError) {
        hasWritten = true
        do throws(TokenCacheError) {
            try body(bytes)
        } catch {
            throw error.reason
        }
    }

    func finish() {}

    func restart() -> Bool { !hasWritten }
}
