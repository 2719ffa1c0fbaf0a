public import TokenCaching

/// Where an exported document goes.
public enum ExportTarget {
    /// A file. It appears complete or not at all, readable by this user only, in the place of the one that was there.
    case path(String)
    /// An open descriptor, written to from where it stands. It stays open. A reader at the other end that goes away
    /// makes the export fail.
    case descriptor(Int32)
    /// Piece by piece. The pieces hold tokens; each is valid only during the call.
    case sink((RawSpan) throws(TokenCacheError) -> Void)
}
