internal import RecordStorage

/// Which refusals stand no more, because a response or a removal answered them: in the store, and in memory.
struct AnsweredRefusals: Sendable {
    /// Notes about what was asked for.
    var tags: Set<RecordTag> = []
    /// The client, folded, whose notes go, whatever they are about; nil if nobody's do.
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

/// What servers said of refresh tokens that nobody can spend any more: for the threads of this process that wait for one while
/// another spends it. They find it gone, and no note says why.
struct LastWords: Sendable {
    /// By the numbers of the tokens' leases, the oldest first.
    private var words: [(number: UInt64, response: TokenErrorResponse)] = []
    /// Beyond this many the oldest goes: whoever waits asks at once.
    static let limit = 64

    subscript(number: UInt64) -> TokenErrorResponse? { words.last { $0.number == number }?.response }

    mutating func keep(_ response: TokenErrorResponse, of number: UInt64) {
        words.removeAll { $0.number == number }
        words.append((number, response))
        if words.count > Self.limit { words.removeFirst() }
    }
}
