internal import TokenCaching

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
