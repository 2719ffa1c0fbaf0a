// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The refusals, in the store and in memory, that a response or a removal ends.
struct AnsweredRefusals: Sendable {
    /// The tags of notes about requests.
    var tags: Set<RecordTag> = []
    /// The client, folded, whose notes are all removed; nil for none.
    var client: String?
    /// The partitions in which they are removed.
    var partitions: [PartitionTag] = []
    /// The host of the servers whose notes are removed from the group's partition.
    var host: String?

    func contains(_ note: RefusalNote, under tag: RecordTag, in partition: PartitionTag) -> Bool {
        if tags.contains(tag) { return true }
        guard let client, note.clientID == client else { return false }
        return partitions.contains(partition) || (note.kind == .server && note.host == host)
    }
}
