// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// Opens the secret behind an answer; if the secret was removed in the meantime, looks the query up again and retries
/// once.
struct SecretOpening {
    enum Wanted {
        case accessToken
        case refreshToken
    }

    let answer: TokenAnswer
    let row: Int
    let wants: Wanted
    /// Whether a removed token must not be replaced by another one.
    var isExact = false

    func open() throws(StorageError) -> TokenSecret {
        try answer.engine.checkProcess()
        do {
            return try answer.facts.openToken(of: row)
        } catch {
            guard error.code == .tokenGone else { throw error }
            if try isStored() {
                throw StorageError(.damaged, path: error.path, detail: "a token was overwritten with zeros")
            }
            guard !isExact, let (facts, row) = try successor() else { throw error }
            return try facts.openToken(of: row)
        }
    }

    /// Whether the newest state still has the record in the same place, and zeros there are damage: to look the token up
    /// again would find them again.
    private func isStored() throws(StorageError) -> Bool {
        let (engine, facts) = (answer.engine, answer.facts)
        guard facts.reader.announcesRemovalsFirst else { return false }
        let (deadline, row) = (engine.newDeadline(), facts.row(row))
        guard try engine.freshen(.now(engine.clock), until: deadline).currentRevision != nil else { return false }
        let contents = try engine.store.contents(of: facts.partition, until: deadline)
        guard contents.reader === facts.reader else { return false }
        return contents.records.contains { $0.tag == row.tag && $0.sequence == row.sequence && $0.secret == row.secret }
    }

    /// The query's current result, if it is a token of the same kind that may be used in the same way.
    private func successor() throws(StorageError) -> (PartitionFacts, Int)? {
        let again = try answer.engine.answer(to: answer.terms, until: answer.engine.newDeadline())
        switch (wants, again.matchResult.outcome) {
        case (.accessToken, .valid(let row)), (.accessToken, .renew(_, let row?)), (.refreshToken, .renew(let row, _)):
            return maySubstitute(row, of: again.facts) ? (again.facts, row) : nil
        default:
            return nil
        }
    }

    /// Whether a newer row may replace the removed one.
    ///
    /// Callers know the account, the cloud and the client or family of the removed token, and may have chosen the
    /// recipient of the secret accordingly: a token of another owner must not be sent there. They also know the key to
    /// which the token is bound and prove possession of it, which a token bound to another key would contradict.
    private func maySubstitute(_ index: Int, of facts: PartitionFacts) -> Bool {
        guard facts.partition == answer.facts.partition else { return false }
        let oldFacts = answer.facts
        let old = oldFacts.row(row)
        let new = facts.row(index)
        // Symbols of different facts cannot be compared.
        func isSame(_ one: Symbol, _ other: Symbol) -> Bool {
            oldFacts.span(one).isEqual(to: facts.span(other))
        }
        guard isSame(old.cloud, new.cloud), isSame(old.keyID, new.keyID) else { return false }
        return isSame(old.client, new.client) || (!old.family.isNone && isSame(old.family, new.family))
    }
}
