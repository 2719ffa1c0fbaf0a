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
    /// - Throws: what lookups throw; where a token was granted, not that nobody can look just now.
    func decision(
        on written: WrittenResponse,
        for stored: StoredQuery,
        passing terms: PreparedQuery
    ) throws(TokenCacheError) -> TokenResult? {
        // What a lookup finds is kept by the query for the next one.
        let answer: TokenAnswer?
        let trouble: TokenCacheError?
        do throws(TokenCacheError) {
            (answer, trouble) = (try freshAnswer(to: stored, until: newDeadline()), nil)
        } catch {
            // Entries beside the new ones may be damaged.
            guard error.code == .damaged || error.isStoreBusy else { throw error }
            (answer, trouble) = (nil, error)
        }
        let found = answer?.decision(now: clock.now().secondsSince1970)
        if case .interactionRequired(.signedOut)? = found { return .interactionRequired(.signedOut) }
        guard let location = written.accessToken else {
            if case .interactionRequired(.accountUnknown)? = found { return .interactionRequired(.accountUnknown) }
            // Never the token that a resource refused.
            if terms.passesStoredTokens { return .interactionRequired(.scopesNotGranted) }
            if case .valid(let token)? = found { return .valid(token) }
            guard let trouble else { return .interactionRequired(.scopesNotGranted) }
            // Nobody can tell that there is no token, so the person is not bothered.
            guard let token = try knownToken(for: stored, until: newDeadline()) else { throw trouble }
            return .valid(token)
        }
        guard let token = try accessToken(location, knowing: answer, for: stored.terms) else {
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
        for terms: PreparedQuery
    ) throws(TokenCacheError) -> AccessToken? {
        guard let answer, answer.facts.partition == written.partition else {
            return try accessToken(written, until: newDeadline()) { _, _ in terms }
        }
        let now = clock.now().secondsSince1970
        return answer.facts.index(of: written).map { accessToken($0, of: answer.facts, for: terms, now: now) }
    }
}

extension PreparedQuery {
    /// The scopes that count and that a token is not good for, folded.
    func declinedScopes(of token: AccessToken) -> [String] {
        let facts = token.answer.facts
        return scopes(declinedBy: facts.span(facts.row(Int(token.row)).scopes))
    }
}
