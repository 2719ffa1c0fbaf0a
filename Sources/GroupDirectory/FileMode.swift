/// What a file of the group is opened for.
package enum FileMode: Hashable, Sendable {
    case reading
    case readingAndWriting
    /// Must not exist. Created with mode 0600, whatever the umask.
    case creating
    /// Created empty, with mode 0600, where it does not exist.
    case openingOrCreating
}
