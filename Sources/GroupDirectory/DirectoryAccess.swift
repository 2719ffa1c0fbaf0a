/// What a group's folder is opened for.
package enum DirectoryAccess: Hashable, Sendable {
    /// It must exist. Where nothing can be written there it opens read-only and says so.
    case readWrite
    /// It is created where it does not exist, with the folders above it.
    case create
    /// It must exist, and nothing is written.
    case readOnly
}
