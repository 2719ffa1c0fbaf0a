internal import RecordStorage
internal import Sealing

extension Engine {
    /// What there is for a query in the newest state.
    ///
    /// - Throws: as a lookup; also where the newest state cannot be read.
    func freshAnswer(to terms: QueryTerms) throws(TokenCacheError) -> TokenAnswer {
        let now = ClockReading.now(clock)
        let freshness = try freshen(now)
        if case .stale(let staleness) = freshness { throw staleness.error }
        return try answer(to: terms, freshness, now, knownPartition: nil)
    }

    /// Which lease belongs to a refresh token: by its secret, so that all of its copies have one.
    func leaseNumber(of token: KnownSecret) throws(TokenCacheError) -> UInt64 {
        try storing { () throws(StorageError) in
            let sealer = try codec.keyring.tagSealer()
            return try sealing { () throws(SealingError) in try token.secret.leaseNumber(with: sealer) }
        }
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
