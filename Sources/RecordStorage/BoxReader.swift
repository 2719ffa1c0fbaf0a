// SPDX-License-Identifier: Apache-2.0

/// Reads the sealed boxes at locations returned together with it.
///
/// A reader keeps its source alive (in the file, a descriptor of one generation), so a location always refers to the
/// bytes it was made for. Thread-safe; holds no lock while reading.
package protocol BoxReader: AnyObject, Sendable {
    /// The key epoch under which these boxes are sealed.
    var epoch: UInt32 { get }

    /// Whether a removal is announced before anything is erased. Then a box that reads as erased, of a record that a newer
    /// state still has in the same place, is damaged. A keyring gives no such order.
    var announcesRemovalsFirst: Bool { get }

    /// Passes the sealed bytes at `location` to `body`.
    ///
    /// - Throws: ``StorageError/Code/tokenGone`` if the box was removed in the meantime, ``StorageError/Code/damaged``
    ///   if the bytes cannot be read.
    func withBox<Result>(
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result
}

extension BoxReader {
    package var announcesRemovalsFirst: Bool { false }
}
