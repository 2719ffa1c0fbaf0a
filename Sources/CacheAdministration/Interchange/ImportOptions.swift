internal import TokenCaching

/// How a document is imported.
public struct ImportOptions: Hashable, Sendable {
    /// Whose cache the document is.
    public var format: ImportFormat
    /// Skip entries that cannot be kept. Otherwise one of them keeps everything out, and all of them are listed.
    public var skipsBadEntries: Bool
    /// Put what is read over what is there, even where that is newer or its account was signed out.
    public var replacesNewer: Bool
    /// The largest document accepted, in bytes.
    public var maximumByteCount: UInt64
    /// The largest entry accepted, in bytes. More than 960 KiB never are.
    public var maximumEntryByteCount: Int
    /// How deep arrays and objects may be nested.
    public var maximumDepth: Int
    /// How many bad entries are listed at most; all of them are counted.
    public var maximumListedProblems: Int

    /// Options for documents of usual size: everything or nothing, nothing newer replaced, 64 MiB.
    public init(
        format: ImportFormat = .msal,
        skipsBadEntries: Bool = false,
        replacesNewer: Bool = false,
        maximumByteCount: UInt64 = 64 << 20,
        maximumEntryByteCount: Int = 960 << 10,
        maximumDepth: Int = 32,
        maximumListedProblems: Int = 1_000
    ) {
        self.format = format
        self.skipsBadEntries = skipsBadEntries
        self.replacesNewer = replacesNewer
        self.maximumByteCount = maximumByteCount
        self.maximumEntryByteCount = maximumEntryByteCount
        self.maximumDepth = maximumDepth
        self.maximumListedProblems = maximumListedProblems
    }
}
