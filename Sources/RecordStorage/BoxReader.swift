/// Reads sealed boxes by place, as they were when the places were handed out.
///
/// A reader pins what it reads from (for the file: one descriptor of one generation), so a place never meets other
/// bytes than those it was made for. Safe to use from any thread; holds no lock while reading.
package protocol BoxReader: AnyObject, Sendable {
    /// The key epoch under which these boxes are sealed.
    var epoch: UInt32 { get }

    /// Hands the sealed bytes at `location` to `body`.
    ///
    /// - Throws: ``StorageError/Code/tokenGone`` where the box was removed meanwhile,
    ///   ``StorageError/Code/damaged`` where the bytes cannot be read.
    func withBox<Result>(
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result
}
