// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// The refusals, in the store and in memory, that a response or a removal ends.
package struct AnsweredRefusals: Sendable {
    /// The tags of notes about requests.
    var tags: Set<RecordTag> = []
    /// The client, folded, whose notes are all removed; nil for none.
    var client: String?
    /// The partitions in which they are removed.
    var partitions: [PartitionTag] = []
    /// The host of the servers whose notes that they asked for time are removed; nil for those of any host.
    var host: String?

    init() {}

    /// All notes of a client, folded, in some partitions.
    package init(client: String, partitions: [PartitionTag]) {
        self.client = client
        self.partitions = partitions
    }

    func contains(_ note: RefusalNote, under tag: RecordTag, in partition: PartitionTag) -> Bool {
        if tags.contains(tag) { return true }
        guard let client, note.clientID == client else { return false }
        if note.kind == .server, let host { return note.host == host }
        return partitions.contains(partition)
    }
}

/// The servers' last responses about refresh tokens that were removed. A thread of this process that waits while
/// another thread redeems a token finds the token removed, and no note says why.
struct LastResponses: Sendable {
    /// With the numbers of the tokens' leases, oldest first.
    private var responses: [(number: UInt64, response: TokenErrorResponse)] = []
    /// Beyond this many the oldest is dropped: waiting threads look the response up at once.
    static let limit = 64

    subscript(number: UInt64) -> TokenErrorResponse? { responses.last { $0.number == number }?.response }

    mutating func keep(_ response: TokenErrorResponse, of number: UInt64) {
        responses.removeAll { $0.number == number }
        responses.append((number, response))
        if responses.count > Self.limit { responses.removeFirst() }
    }
}
