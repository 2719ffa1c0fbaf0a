internal import TokenCaching

/// Where the bytes of a document come from.
protocol ByteSource: AnyObject {
    /// How many bytes there are in all, where that is known before they are read.
    var totalByteCount: UInt64? { get }

    /// Whether reading may wait for somebody, as for the other end of a pipe.
    var mayWait: Bool { get }

    /// Reads some bytes to `start` and what follows in `room`; 0 only at the end.
    func read(into room: inout MutableRawSpan, from start: Int) throws(TokenCacheError) -> Int
}
