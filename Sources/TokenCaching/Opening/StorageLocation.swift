// SPDX-License-Identifier: Apache-2.0

/// Where a group keeps its records, and why.
public struct StorageLocation: Hashable, Sendable {
    /// The kind of store.
    public let kind: GroupSummary.Storage
    /// The folder of the group, which every kind except memory has; nil for memory.
    public let folder: String?
    /// The keyring collection named for the group; nil for the default one, and if the group keeps nothing in a
    /// keyring.
    public let collection: String?
    /// The reason for this kind of store, as recorded when the group was created: an English phrase to display. If the
    /// record is not authenticated with the keys of the group, the phrase says so.
    public let reason: String
}

extension StorageLocation {
    package static let memory = StorageLocation(
        kind: .memory,
        folder: nil,
        collection: nil,
        reason: "memory was requested"
    )
}
