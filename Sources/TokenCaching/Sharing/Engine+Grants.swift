// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension Engine {
    /// The result for a caller that asked a server, once its response is stored. It is judged by the response, and not
    /// by what a lookup would find now: a token that was just granted is never a reason to prompt the user.
    ///
    /// - Parameters:
    ///   - written: the stored entries of the response.
    ///   - stored: the query without ignoring stored tokens.
    ///   - terms: the query as given, which may ignore stored tokens.
    /// - Returns: nil if the written entries have been removed again, so that the cache must be queried again.
    /// - Throws: the errors of lookups; if a token was granted, a temporarily unreadable store is not an error.
    func decision(
        on written: WrittenResponse,
        for stored: StoredQuery,
        passing terms: PreparedQuery
    ) throws(StorageError) -> TokenResult? {
        let deadline = newDeadline()
        // The query remembers the result of a lookup for the next one.
        let answer: TokenAnswer?
        let trouble: StorageError?
        do throws(StorageError) {
            (answer, trouble) = (try freshAnswer(to: stored, until: deadline), nil)
        } catch {
            // Entries other than the new ones may be damaged.
            guard error.code == .damaged || error.isStoreBusy else { throw error }
            (answer, trouble) = (nil, error)
        }
        let found = answer?.decision(now: clock.now().secondsSince1970)
        if case .interactionRequired(.signedOut)? = found { return .interactionRequired(.signedOut) }
        guard let location = written.accessToken else {
            if case .interactionRequired(.accountUnknown)? = found { return .interactionRequired(.accountUnknown) }
            // Never hand out the token that a resource rejected.
            if terms.ignoresStoredTokens { return .interactionRequired(.scopesNotGranted) }
            if case .valid(let token)? = found { return .valid(token) }
            guard let trouble else { return .interactionRequired(.scopesNotGranted) }
            // It is unknown whether there is a token, so the user is not prompted.
            guard let token = try knownToken(for: stored, until: deadline) else { throw trouble }
            return .valid(token)
        }
        guard let token = try accessToken(location, knowing: answer, for: stored.terms, until: deadline) else {
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
        for terms: PreparedQuery,
        until deadline: Deadline
    ) throws(StorageError) -> AccessToken? {
        guard let answer, answer.facts.partition == written.partition else {
            return try accessToken(written, until: deadline) { _, _ in terms }
        }
        let now = clock.now().secondsSince1970
        return answer.facts.index(of: written).map { accessToken($0, of: answer.facts, for: terms, now: now) }
    }
}

extension PreparedQuery {
    /// The relevant scopes that a token does not have, folded.
    func declinedScopes(of token: AccessToken) -> [String] {
        let facts = token.answer.facts
        return scopes(declinedBy: facts.span(facts.row(Int(token.row)).scopes))
    }
}
