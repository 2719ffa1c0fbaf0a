internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Opens the secret behind an answer, once more after another decision if it was removed meanwhile.
struct SecretOpening {
    enum Wanted {
        case accessToken
        case refreshToken
    }

    let answer: TokenAnswer
    let row: Int
    let wants: Wanted

    func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        let payload: SecretBytes
        do {
            payload = try answer.facts.openPayload(of: row)
        } catch {
            guard error.code == .tokenGone, let (facts, row) = try successor() else { throw error }
            payload = try facts.openPayload(of: row)
        }
        let token: SecretPayload.Token
        do throws(SchemaError) {
            guard let found = try SecretPayload.token(in: payload.bytes) else { throw SchemaError.noToken }
            token = found
        } catch {
            throw TokenCacheError(StorageError(stored: error))
        }
        if !token.hasEscapes { return try body(payload.bytes.extracting(token.range)) }
        let text = try unescaped(token, in: payload)
        return try body(text.bytes)
    }

    /// What the same query gets now, if it is a token of the same sort that may be used in the same way.
    private func successor() throws(TokenCacheError) -> (PartitionFacts, Int)? {
        let again = try answer.engine.answer(to: answer.terms)
        switch (wants, again.verdict.outcome) {
        case (.accessToken, .valid(let row)), (.accessToken, .renew(_, let row?)), (.refreshToken, .renew(let row, _)):
            return mayStandIn(row, of: again.facts) ? (again.facts, row) : nil
        default:
            return nil
        }
    }

    /// Whether a newer row may take the place of the one that is gone.
    ///
    /// Callers know the account, the cloud and the client or family of that one, and may have chosen by these whom they
    /// send the secret to: a token of others must not go there.
    private func mayStandIn(_ index: Int, of facts: PartitionFacts) -> Bool {
        guard facts.partition == answer.facts.partition else { return false }
        let oldFacts = answer.facts
        let old = oldFacts.row(row)
        let new = facts.row(index)
        // The symbols of different facts cannot be compared.
        func isSame(_ one: Symbol, _ other: Symbol) -> Bool {
            oldFacts.span(one).isEqual(to: facts.span(other))
        }
        guard isSame(old.cloud, new.cloud) else { return false }
        return isSame(old.client, new.client) || (!old.family.isNone && isSame(old.family, new.family))
    }

    private func unescaped(
        _ token: SecretPayload.Token,
        in payload: borrowing SecretBytes
    ) throws(TokenCacheError) -> SecretBytes {
        var failure: SchemaError?
        let text: SecretBytes
        do throws(SealingError) {
            text = try SecretBytes(byteCount: token.range.count) { (output) throws(SealingError) in
                do throws(SchemaError) {
                    try SecretPayload.unescape(token, in: payload.bytes, into: &output)
                } catch {
                    failure = error
                }
            }
        } catch {
            throw TokenCacheError(error)
        }
        if let failure { throw TokenCacheError(StorageError(stored: failure)) }
        return text
    }
}

extension PartitionFacts {
    /// Reads and opens the secret payload of a row.
    func openPayload(of row: Int) throws(TokenCacheError) -> SecretBytes {
        let row = self.row(row)
        return try storing { () throws(StorageError) in
            let payload = try RecordCodec.openSecret(
                at: row.secret,
                tag: row.tag,
                kind: row.kind,
                sequence: row.sequence,
                reader: reader,
                sealer: sealer
            )
            guard let payload else { throw StorageError(.damaged, detail: "a token has no secret") }
            return payload
        }
    }
}

extension SchemaError {
    fileprivate static let noToken = SchemaError(.malformedFacts, at: 0, rule: "a token has no secret")
}
