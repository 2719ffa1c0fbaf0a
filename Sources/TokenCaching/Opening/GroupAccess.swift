/// What a group is opened for.
public enum GroupAccess: Hashable, Sendable {
    /// It is created where it does not exist.
    case create
    /// It must exist. Where nothing can be written, as on a read-only mount, it opens for reading only.
    case readWrite
    /// It must exist, and nothing is written.
    case readOnly
}
