// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// A note of a refusal that is in effect now.
struct ActiveRefusal: Sendable {
    enum Origin: Sendable {
        /// The transaction that wrote it.
        case written(UInt64)
        /// It could not be written; this is its number in this process's memory.
        case remembered(UInt64)
    }

    let note: RefusalNote
    let origin: Origin
    /// The server's response, complete if this process received it.
    let response: TokenErrorResponse
}

extension ActiveRefusal {
    /// Whether the refusal of a request with another refresh token holds for this one too: it was stored by then, and
    /// the server's answer was about all tokens, or about the client's own.
    func holds(for row: FactsRow, isOwn: Bool) -> Bool {
        guard note.kind == .request || isOwn else { return false }
        switch origin {
        case .written(let sequence): return row.sequence <= sequence
        case .remembered: return true
        }
    }
}

/// The notes of one partition that are in effect now, by tag. Lookups never read them: they matter only before asking a
/// server.
struct ActiveRefusals: Sendable {
    private(set) var byTag: [RecordTag: ActiveRefusal] = [:]
    /// The moment at which all of them are known.
    private(set) var moment: RefusalMoment

    init(remembering memory: RefusalMemory) {
        moment = RefusalMoment(sequence: 0, order: memory.newestOrder)
    }

    mutating func add(_ refusal: ActiveRefusal, under tag: RecordTag) {
        byTag[tag] = refusal
        if case .written(let sequence) = refusal.origin { moment.sequence = max(moment.sequence, sequence) }
    }
}

/// The refusals of a partition known at a moment.
struct RefusalMoment: Sendable {
    /// The newest transaction that wrote one.
    fileprivate(set) var sequence: UInt64
    /// The newest number in the process's memory.
    fileprivate(set) var order: UInt64

    /// Whether the note already existed at this moment.
    func knows(_ refusal: ActiveRefusal) -> Bool {
        switch refusal.origin {
        case .written(let sequence): sequence <= self.sequence
        case .remembered(let order): order <= self.order
        }
    }
}
