internal import ByteOperations
internal import RecordStorage

/// Opens the secret behind an answer, once more after another decision if it was removed meanwhile.
struct SecretOpening {
    enum Wanted {
        case accessToken
        case refreshToken
    }

    let answer: TokenAnswer
    let row: Int
    let wants: Wanted
    /// Whether nothing may stand in for a token that is gone.
    var isExact = false

    func open() throws(TokenCacheError) -> TokenSecret {
        try answer.engine.checkProcess()
        do {
            return try answer.facts.openToken(of: row)
        } catch {
            guard error.code == .tokenGone, !isExact, let (facts, row) = try successor() else { throw error }
            return try facts.openToken(of: row)
        }
    }

    /// What the same query gets now, if it is a token of the same sort that may be used in the same way.
    private func successor() throws(TokenCacheError) -> (PartitionFacts, Int)? {
        let again = try answer.engine.answer(to: answer.terms, until: answer.engine.newDeadline())
        switch (wants, again.matchResult.outcome) {
        case (.accessToken, .valid(let row)), (.accessToken, .renew(_, let row?)), (.refreshToken, .renew(let row, _)):
            return mayStandIn(row, of: again.facts) ? (again.facts, row) : nil
        default:
            return nil
        }
    }

    /// Whether a newer row may take the place of the one that is gone.
    ///
    /// Callers know the account, the cloud and the client or family of that one, and may have chosen by these whom they
    /// send the secret to: a token of others must not go there. They know which key it is bound to, and prove that they have
    /// it: with a token that is bound to another one nobody would believe them.
    private func mayStandIn(_ index: Int, of facts: PartitionFacts) -> Bool {
        guard facts.partition == answer.facts.partition else { return false }
        let oldFacts = answer.facts
        let old = oldFacts.row(row)
        let new = facts.row(index)
        // The symbols of different facts cannot be compared.
        func isSame(_ one: Symbol, _ other: Symbol) -> Bool {
            oldFacts.span(one).isEqual(to: facts.span(other))
        }
        guard isSame(old.cloud, new.cloud), isSame(old.keyID, new.keyID) else { return false }
        return isSame(old.client, new.client) || (!old.family.isNone && isSame(old.family, new.family))
    }
}
