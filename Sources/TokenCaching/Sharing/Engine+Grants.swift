internal import RecordStorage

extension Engine {
    /// What somebody gets who asked a server, once its response is stored: judged by the response, and not by what a lookup would
    /// find now. A token that was just granted is never a reason to bother the person.
    ///
    /// - Parameters:
    ///   - written: what the response became.
    ///   - stored: what was asked for.
    ///   - terms: the same as it was asked, which may pass over what is stored.
    /// - Returns: nil where what was written is gone again, so that the cache has to be asked anew.
    /// - Throws: what lookups throw.
    func decision(
        on written: WrittenResponse,
        for stored: StoredQuery,
        passing terms: QueryTerms
    ) throws(TokenCacheError) -> TokenResult? {
        let answer = try lookUpAgain(stored)
        let found = answer?.decision(now: clock.now().secondsSince1970)
        if case .interactionRequired(let reason)? = found, reason == .signedOut || reason == .accountUnknown {
            return .interactionRequired(reason)
        }
        guard let place = written.accessToken else {
            if case .valid(let token)? = found { return .valid(token) }
            return .interactionRequired(.scopesNotGranted)
        }
        guard let token = try accessToken(place, knowing: answer, for: stored.terms) else {
            if case .valid(let token)? = found { return .valid(token) }
            return nil
        }
        let grant = PartialGrant(accessToken: token)
        if grant.declinedScopes.isEmpty { return .valid(token) }
        keep(grant, for: terms)
        return .scopesDeclined(grant)
    }

    private func accessToken(
        _ written: WrittenToken,
        knowing answer: TokenAnswer?,
        for terms: QueryTerms
    ) throws(TokenCacheError) -> AccessToken? {
        guard let answer, answer.facts.partition == written.partition else {
            return try accessToken(written, until: newDeadline()) { _, _ in terms }
        }
        let now = clock.now().secondsSince1970
        return answer.facts.index(of: written).map { accessToken($0, of: answer.facts, for: terms, now: now) }
    }

    /// What a lookup finds, kept by the query for the next one. Nil where entries beside the new ones are damaged, and where
    /// nobody can look just now.
    private func lookUpAgain(_ stored: StoredQuery) throws(TokenCacheError) -> TokenAnswer? {
        do throws(TokenCacheError) {
            return try freshAnswer(to: stored, until: newDeadline())
        } catch {
            guard error.code == .damaged || error.code == .busy || error.code == .timeout else { throw error }
            return nil
        }
    }
}

extension QueryTerms {
    /// The scopes that count and that a token is not good for, folded.
    func declinedScopes(of token: AccessToken) -> [String] {
        let facts = token.answer.facts
        return scopes(declinedBy: facts.span(facts.row(Int(token.row)).scopes))
    }
}
