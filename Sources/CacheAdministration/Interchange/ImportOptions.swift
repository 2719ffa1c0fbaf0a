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

/// Whose cache a document is.
public enum ImportFormat: Hashable, Sendable, CaseIterable {
    /// The unified JSON of the MSAL libraries.
    case msal
    /// `accessTokens.json` of ADAL for Python and of the Azure CLI before 2.30: an array of tokens.
    ///
    /// They are a second source: where the group has no refresh token of its own for an account, that of ADAL can be spent
    /// for a new one. Access tokens of ADAL are never handed out, nothing of ADAL is exported or written back.
    case adal
}

/// Where the document of another library is read from. Only as much of it as fits a window is in memory at a time.
public enum ImportSource: Sendable {
    /// A file, a pipe or a device by its path.
    case path(String)
    /// An open descriptor, read to its end from where it stands. It stays open.
    case descriptor(Int32)
    /// Bytes in memory. They are the caller's to wipe.
    case bytes([UInt8])
    /// What another library keeps in the person's keyring, as JSON or as base64 of it.
    case keyring(PeerKeyringItem)
}

extension ImportSource: CustomStringConvertible, CustomReflectable {
    /// Where it is; of bytes in memory only how many.
    public var description: String {
        switch self {
        case .path(let path): "the file \(path)"
        case .descriptor(let number): "descriptor \(number)"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .keyring: "an item of the keyring"
        }
    }

    /// No children: the bytes are tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
