internal import RecordStorage

/// A note of a refusal that counts now.
struct StandingRefusal: Sendable {
    enum Origin: Sendable {
        /// The transaction that wrote it.
        case written(UInt64)
        /// It could not be written: its number among what this process remembers.
        case remembered(UInt64)
    }

    let note: RefusalNote
    let origin: Origin
    /// What the server said, in full where this process met the refusal itself.
    let response: TokenErrorResponse
}

/// The notes of one partition that count now, by tag. Lookups never read them: they matter only where a server would be asked.
struct StandingRefusals: Sendable {
    private(set) var byTag: [RecordTag: StandingRefusal] = [:]
    /// All of them are known by it.
    private(set) var moment: RefusalMoment

    init(remembering memory: RefusalMemory) {
        moment = RefusalMoment(sequence: 0, order: memory.newestOrder)
    }

    mutating func take(_ refusal: StandingRefusal, under tag: RecordTag) {
        byTag[tag] = refusal
        if case .written(let sequence) = refusal.origin { moment.sequence = max(moment.sequence, sequence) }
    }
}

/// What was known of the refusals of a partition at a moment.
struct RefusalMoment: Sendable {
    /// The newest transaction that wrote one.
    fileprivate(set) var sequence: UInt64
    /// The newest number of what the process remembers.
    fileprivate(set) var order: UInt64

    /// Whether a note was there already.
    func knows(_ refusal: StandingRefusal) -> Bool {
        switch refusal.origin {
        case .written(let sequence): sequence <= self.sequence
        case .remembered(let order): order <= self.order
        }
    }
}
