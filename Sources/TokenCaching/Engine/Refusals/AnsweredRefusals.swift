internal import RecordStorage

/// Which refusals stand no more, because a response or a removal answered them: in the store, and in memory.
struct AnsweredRefusals: Sendable {
    /// Notes about what was asked for.
    var tags: Set<RecordTag> = []
    /// The client, folded, whose notes go, whatever they are about; nil where nobody's do.
    var client: String?
    /// The partitions where they do.
    var partitions: [PartitionTag] = []
    /// The host of the servers whose notes go, which lie in the group's partition.
    var host: String?

    func contains(_ note: RefusalNote, under tag: RecordTag, in partition: PartitionTag) -> Bool {
        if tags.contains(tag) { return true }
        guard let client, note.clientID == client else { return false }
        return partitions.contains(partition) || (note.kind == .server && note.host == host)
    }
}
