internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

extension Engine {
    /// What there is for a query in the newest state.
    ///
    /// - Parameters:
    ///   - terms: what is asked for.
    ///   - query: keeps the answer, where it asks for just that: who renews again then only looks it up.
    ///   - deadline: by when it returns.
    /// - Returns: the answer, as of the newest state.
    /// - Throws: as a lookup; also where the newest state cannot be read.
    func freshAnswer(
        to terms: PreparedQuery,
        keptBy query: TokenQuery? = nil,
        until deadline: Deadline
    ) throws(TokenCacheError) -> TokenAnswer {
        let now = ClockReading.now(clock)
        let freshness = try freshen(now, until: deadline)
        if let staleness = freshness.staleness { throw staleness.error }
        let answer = try answer(to: terms, freshness, now, knownPartition: nil)
        if freshness.currentRevision != nil { query?.answers.store(answer) }
        return answer
    }

    func freshAnswer(to stored: StoredQuery, until deadline: Deadline) throws(TokenCacheError) -> TokenAnswer {
        try freshAnswer(to: stored.terms, keptBy: stored.query, until: deadline)
    }

    /// The token that there is for a query. Where nobody can look just now, it is the one that was known last, as a lookup hands it
    /// out.
    ///
    /// For whoever knows already what to say where there is none, such as what a server said.
    func knownToken(for stored: StoredQuery, until deadline: Deadline) throws(TokenCacheError) -> AccessToken? {
        do throws(TokenCacheError) {
            let now = ClockReading.now(clock)
            let freshness = try freshen(now, until: deadline)
            let answer = try answer(to: stored.terms, freshness, now, knownPartition: nil)
            let decision = answer.decision(now: now.seconds, staleness: freshness.staleness?.reason)
            guard case .valid(let token) = decision else { return nil }
            return token
        } catch {
            guard error.isStoreBusy else { throw error }
            return nil
        }
    }

    /// Which lease belongs to a refresh token: by its secret, so that all of its copies have one.
    func leaseNumber(of token: KnownSecret) throws(TokenCacheError) -> UInt64 {
        try storing { () throws(StorageError) in
            let sealer = try codec.keyring.tagSealer()
            return try sealing { () throws(SealingError) in try token.secret.leaseNumber(with: sealer) }
        }
    }

    /// Which lease belongs to a request that spends no refresh token: the same for all who ask the same.
    func leaseNumber(of request: RefusalKey) throws(TokenCacheError) -> UInt64 {
        try storing { () throws(StorageError) in
            let sealer = try codec.keyring.tagSealer()
            return try sealing { () throws(SealingError) in
                try sealer.leaseNumber(kind: 2, secret: request.bytes.rawSpan)
            }
        }
    }

    /// Takes a lease.
    ///
    /// - Returns: nil where somebody holds it, or nobody may begin because the group is being taken to another store.
    func freeLease(_ number: UInt64) throws(TokenCacheError) -> (any StoreLease)? {
        do throws(TokenCacheError) {
            return try storing { () throws(StorageError) in try store.tryLease(number) }
        } catch {
            guard error.code == .busy else { throw error }
            return nil
        }
    }

    /// Stores what was got under a lease, and tries again while the group is busy, for ten seconds at least: the token that
    /// it was got for is spent.
    func savePatiently(
        _ kept: KeptResponse,
        for request: TokenRequest,
        spending spent: KnownSecret?
    ) throws(TokenCacheError) -> ResponseWriter.Outcome {
        let deadline = Deadline.after(.seconds(10))
        var attempts = 0
        while true {
            do throws(TokenCacheError) {
                return try save(kept.response, for: request, spending: spent)
            } catch {
                attempts += 1
                let isOver = attempts >= 5 && deadline.hasPassed
                guard error.isStoreBusy, !isOver else { throw error }
                Pause.sleep(nanoseconds: 20_000_000)
            }
        }
    }
}

/// What a query asks for where it passes over nothing that is stored.
struct StoredQuery: Sendable {
    let terms: PreparedQuery
    /// The query, where it asks for just that.
    let query: TokenQuery?

    init(_ query: TokenQuery) {
        self.query = query.terms.passesStoredTokens ? nil : query
        terms = self.query?.terms ?? PreparedQuery(query.terms, passesStoredTokens: false)
    }
}

extension PreparedQuery {
    /// One of the texts; nil where there is none.
    func text(_ range: TextRange?) -> String? {
        guard let range, !range.isEmpty else { return nil }
        return String(copying: span(range))
    }
}

extension TokenSecret {
    fileprivate func leaseNumber(with sealer: RecordSealer) throws(SealingError) -> UInt64 {
        try sealer.leaseNumber(kind: 1, secret: bytes)
    }
}

extension PartitionFacts {
    /// The newest transaction that wrote one of the rows; 0 where there is none.
    var newestSequence: UInt64 {
        let rows = rows
        var newest: UInt64 = 0
        for index in rows.indices { newest = max(newest, rows[index].sequence) }
        return newest
    }
}

extension AccessToken {
    /// The transaction that wrote it.
    var sequence: UInt64 { answer.facts.row(Int(row)).sequence }
}
