// SPDX-License-Identifier: Apache-2.0

/// Reads sealed boxes by location, as they were when the locations were returned.
///
/// A reader keeps what it reads from alive (for the file: one descriptor of one generation), so a location always
/// refers to the bytes that it was made for. Safe to use from any thread; holds no lock while reading.
package protocol BoxReader: AnyObject, Sendable {
    /// The key epoch under which these boxes are sealed.
    var epoch: UInt32 { get }

    /// Passes the sealed bytes at `location` to `body`.
    ///
    /// - Throws: ``StorageError/Code/tokenGone`` if the box was removed in the meantime, ``StorageError/Code/damaged``
    ///   if the bytes cannot be read.
    func withBox<Result>(
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result
}
