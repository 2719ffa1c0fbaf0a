/// Where the document of another library is read from. Only as much of it as fits a window is in memory at a time.
public enum ImportSource: Sendable {
    /// A file, a pipe or a device by its path.
    case path(String)
    /// An open descriptor, read to its end from where it stands. It stays open.
    case descriptor(Int32)
    /// Bytes in memory. They are the caller's to wipe.
    case bytes([UInt8])
}
