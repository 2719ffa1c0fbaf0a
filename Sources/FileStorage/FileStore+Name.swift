extension FileStore {
    /// The name of the journal in the folder of a group.
    package static var fileName: String { JournalFormat.fileName }
}
