// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

extension Engine {
    /// The number of a refresh token's lease: derived from its secret, so that all of its copies share one.
    func leaseNumber(of token: KnownSecret) throws(StorageError) -> UInt64 {
        let sealer = try codec.unlockedKeys.tagSealer()
        return try sealing(try token.secret.leaseNumber(with: sealer))
    }

    /// The number of a lease for a request without a refresh token: the same for all identical requests.
    func leaseNumber(of request: RefusalKey) throws(StorageError) -> UInt64 {
        let sealer = try codec.unlockedKeys.tagSealer()
        return try sealing(try sealer.leaseNumber(kind: 2, secret: request.bytes.rawSpan))
    }

    /// Takes a lease.
    ///
    /// - Returns: nil if another caller holds it, or if no lease may be taken because the group is being migrated.
    func freeLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        do throws(StorageError) {
            return try store.tryLease(number)
        } catch {
            guard error.code == .busy else { throw error }
            return nil
        }
    }

    /// Saves a response obtained under a lease. Retries for at least ten seconds while the group is busy, because the
    /// refresh token has been redeemed.
    func savePatiently(
        _ kept: KeptResponse,
        for request: TokenRequest,
        redeeming redeemed: KnownSecret?
    ) throws(StorageError) -> ResponseWriter.Outcome {
        let deadline = Deadline.after(.seconds(10))
        var attempts = 0
        while true {
            do throws(StorageError) {
                return try save(kept.response, for: request, redeeming: redeemed)
            } catch {
                attempts += 1
                let isOver = attempts >= 5 && deadline.hasPassed
                guard error.isStoreBusy, !isOver else { throw error }
                Pause.sleep(nanoseconds: 20_000_000)
            }
        }
    }
}

extension PreparedQuery {
    /// The text of a range; nil if there is none.
    func text(_ range: TextRange?) -> String? {
        guard let range, !range.isEmpty else { return nil }
        return String(copying: span(range))
    }
}

extension TokenSecret {
    func leaseNumber(with sealer: RecordSealer) throws(SealingError) -> UInt64 {
        try sealer.leaseNumber(kind: 1, secret: bytes)
    }
}

extension PartitionFacts {
    /// The newest transaction that wrote one of the rows; 0 if there is none.
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
