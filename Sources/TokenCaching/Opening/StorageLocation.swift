/// Where a group keeps its records, and why there.
public struct StorageLocation: Hashable, Sendable {
    /// The kind of store.
    public let kind: GroupSummary.Storage
    /// The folder of the group, which every kind but memory has; nil for that.
    public let folder: String?
    /// The collection of the keyring that was named for the group; nil for the default one, and where the group keeps
    /// nothing in a keyring.
    public let collection: String?
    /// Why the group has this kind of store, as it was noted when it was created: a phrase in English, for people. It says so
    /// where nobody with the keys of the group vouches for the note.
    public let reason: String
}

extension StorageLocation {
    package static let memory = StorageLocation(
        kind: .memory,
        folder: nil,
        collection: nil,
        reason: "memory was asked for"
    )
}
