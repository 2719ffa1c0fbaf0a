// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// The options of an import.
public struct ImportOptions: Hashable, Sendable {
    /// The kind of cache that the document comes from.
    public var format: ImportFormat
    /// Whether to skip entries that cannot be kept. Otherwise, if there are any, nothing is imported and all of them
    /// are listed.
    public var skipsBadEntries: Bool
    /// Whether imported entries replace existing ones even if those are newer, or the client signed out of their
    /// account.
    public var replacesNewer: Bool
    /// The maximum size of a document in bytes.
    public var maximumByteCount: UInt64
    /// The maximum size of an entry in bytes; at most 960 KiB.
    public var maximumEntryByteCount: Int
    /// The maximum nesting of arrays and objects.
    public var maximumDepth: Int
    /// The maximum number of bad entries to list; all of them are counted.
    public var maximumListedProblems: Int

    /// Creates options for documents of usual size: all or nothing, no newer entries replaced, 64 MiB.
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

/// The kind of cache that a document comes from.
@nonexhaustive
public enum ImportFormat: Hashable, Sendable, CaseIterable {
    /// The unified JSON of the MSAL libraries.
    case msal
    /// `accessTokens.json` of ADAL for Python and of the Azure CLI before 2.30: an array of tokens.
    ///
    /// These tokens are a second source: if the group has no refresh token of its own for an account, ADAL's can be
    /// redeemed for a new one. Access tokens of ADAL are never returned, and entries of ADAL are never exported or
    /// written back.
    case adal
}

/// The source of another library's document. Only one window of the document is in memory at a time.
@nonexhaustive
public enum ImportSource: Sendable {
    /// A file, a pipe or a device by its path.
    case path(String)
    /// An open descriptor, read from its current position to its end. It stays open.
    case descriptor(Int32)
    /// Bytes in memory. The caller has to wipe them.
    case bytes([UInt8])
    /// The item in the user's keyring in which another library stores its cache, as JSON or as base64 of JSON.
    case keyring(PeerKeyringItem)
}

extension ImportSource: CustomStringConvertible, CustomReflectable {
    /// The location; for bytes in memory, only their number.
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
