// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// What a sign-out kept.
package struct KeptRevocations: Sendable {
    /// For each token to revoke; nil where it was not kept. Empty if there was no room.
    package fileprivate(set) var all: [PendingRevocation?] = []
    /// How many older ones had to go.
    package fileprivate(set) var discardedCount = 0
}

/// A refresh token that a sign-out removes, to be kept until it is revoked.
package struct TokenToRevoke: Sendable {
    let token: RefreshToken
    let account: Account
    let authority: String

    /// - Parameters:
    ///   - token: the token.
    ///   - account: whose it is.
    ///   - authority: the URL of the authority that issued it.
    package init(_ token: RefreshToken, of account: Account, authority: String) {
        self.token = token
        self.account = account
        self.authority = authority
    }

    /// A secret payload of the token alone; nil if it was removed in the meantime or cannot be read.
    fileprivate func payload() throws(StorageError) -> KeptPayload? {
        do throws(StorageError) {
            let payload = try token.answer.facts.openPayload(of: Int(token.row))
            guard let found = try RecordCodec.decoding(try SecretPayload.token(in: payload.bytes)) else { return nil }
            let value = found.range.lowerBound - 1..<found.range.upperBound + 1
            let secrets = SecretRanges(ranges: [value], tokenIndex: 0)
            return KeptPayload(
                try sealing(
                    try SecretBytes(byteCount: SecretPayload.byteCount(secrets)) { output in
                        SecretPayload.write(secrets, of: payload.bytes, into: &output)
                    }
                )
            )
        } catch {
            guard error.code == .tokenGone || error.code == .damaged else { throw error }
            return nil
        }
    }
}

private final class KeptPayload: Sendable {
    let secret: SecretBytes

    init(_ secret: consuming SecretBytes) {
        self.secret = secret
    }
}

/// A refresh token that is not revoked yet.
package final class PendingToken: Sendable {
    package let revocation: PendingRevocation
    private let secret: TokenSecret

    fileprivate init(_ revocation: PendingRevocation, _ secret: consuming TokenSecret) {
        self.revocation = revocation
        self.secret = secret
    }

    /// Passes the bytes of the token to `body`, which must not keep them.
    package func withSecret(_ body: (RawSpan) -> Void) { secret.withBytes(body) }
}

extension Engine {
    /// Signs the client out of an account, or wipes the account, and keeps refresh tokens in the same transaction. If
    /// there is no room for them, the account is signed out all the same.
    func signOut(
        of account: AccountName,
        wiping isWipe: Bool = false,
        keeping tokens: [TokenToRevoke]
    ) throws(StorageError) -> KeptRevocations {
        let payloads = try tokens.map { (token) throws(StorageError) in try token.payload() }
        var kept = KeptRevocations()
        func signOut(keeping tokens: [TokenToRevoke]) throws(StorageError) {
            let also = { (transaction: inout Transaction) throws(StorageError) in
                kept = try self.keep(tokens, payloads, beside: isWipe ? account : nil, &transaction)
            }
            if isWipe { try wipe(account, also: also) } else { try self.signOut(of: account, also: also) }
        }
        do throws(StorageError) {
            try signOut(keeping: tokens)
        } catch {
            // A keyring limits the size of an item.
            guard error.code == .full || error.code == .tooLarge, !tokens.isEmpty else { throw error }
            try signOut(keeping: [])
        }
        return kept
    }

    /// Keeps tokens, and removes what expired and what is too much. `wiped` is an account whose pending revocations the
    /// transaction removes.
    private func keep(
        _ tokens: [TokenToRevoke],
        _ payloads: [KeptPayload?],
        beside wiped: AccountName?,
        _ transaction: inout Transaction
    ) throws(StorageError) -> KeptRevocations {
        let now = clock.now().secondsSince1970
        let others = try transaction.removeRevocations(in: groupPartition) { note in
            !note.counts(at: now) || wiped.map { note.isOf(account: $0.folded) } == true
        }
        var kept = KeptRevocations()
        for (token, payload) in zip(tokens, payloads) {
            guard let payload else {
                kept.all.append(nil)
                continue
            }
            let stored = token.token.stored
            let tag = try codec.pendingRevocationTag(
                of: stored.tag,
                sequence: stored.sequence,
                partition: stored.partition
            )
            let note = RevocationNote(clientID: clientID, account: token.account, authority: token.authority, at: now)
            try transaction.put(note, payload.secret, tag: tag, in: groupPartition)
            kept.all.append(PendingRevocation(note, tag: tag))
        }
        let count = kept.all.count { $0 != nil }
        for surplus in others.prefix(max(0, others.count + count - RevocationNote.limit)) {
            try transaction.remove(surplus.tag, in: groupPartition, erasingSecret: true)
            kept.discardedCount += 1
        }
        return kept
    }

    /// The client's refresh tokens that are not revoked yet, of one account or of all.
    func pendingTokens(of account: Account.ID?) throws(StorageError) -> [PendingToken] {
        try checkProcess()
        let deadline = newDeadline()
        if let staleness = try freshen(.now(clock), until: deadline).staleness { throw staleness.error }
        let contents = try store.contents(of: groupPartition, until: deadline)
        let pending = try PendingRevocation.all(in: contents, codec: codec, now: clock.now().secondsSince1970)
        var tokens: [PendingToken] = []
        for revocation in pending
        where UTF8Text(revocation.clientID).normalized() == UTF8Text(foldedClient)
            && account ?? revocation.accountID == revocation.accountID
        {
            // Damaged, or erased by another process in the meantime: the others can be sent all the same.
            guard let record = contents.records.first(where: { $0.tag == revocation.tag }),
                let token = try codec.token(of: record, contents.reader)
            else { continue }
            tokens.append(PendingToken(revocation, token))
        }
        return tokens
    }

    /// Removes pending revocations: those that were sent. One whose token is being redeemed stays, because by it the
    /// caller that redeems it learns that the next token is to be revoked.
    ///
    /// - Returns: those that stay.
    func forget(_ revocations: [PendingRevocation]) throws(StorageError) -> [PendingRevocation] {
        let tags = Set(revocations.map(\.tag))
        let left = try change(until: newDeadline()) { (transaction) throws(StorageError) in
            var left: Set<RecordTag> = []
            let stored = try transaction.entries(of: groupPartition, where: \.isPendingRevocation)
            for (record, _) in stored.revocations where tags.contains(record.tag) {
                if let number = try? codec.tokenNumber(of: record, stored.reader) {
                    guard let lease = try freeLease(number) else {
                        left.insert(record.tag)
                        continue
                    }
                    lease.release()
                }
                try transaction.remove(record.tag, in: groupPartition, erasingSecret: true)
            }
            return left
        }
        return revocations.filter { left.contains($0.tag) }
    }

    /// Keeps the refresh token of a response, which is not saved, in place of the redeemed one, if that is a pending
    /// revocation: no other caller knows it.
    ///
    /// - Returns: the pending revocation; nil if there is none.
    func keepSuccessor(
        of redeemed: KnownSecret,
        in response: borrowing TokenResponse
    ) throws(StorageError) -> PendingRevocation? {
        guard let successor = response.refreshToken else { return nil }
        let number = try leaseNumber(of: redeemed)
        let payload = try response.payload(of: successor)
        return try change(until: newDeadline()) { (transaction) throws(StorageError) -> PendingRevocation? in
            let stored = try transaction.entries(of: groupPartition, where: \.isPendingRevocation)
            for (record, note) in stored.revocations
            // A damaged one is not that of the redeemed token.
            where (try? codec.tokenNumber(of: record, stored.reader)) == number {
                let tag = try codec.pendingRevocationTag(
                    of: record.tag,
                    sequence: transaction.context.sequence,
                    partition: groupPartition
                )
                try transaction.put(note, payload, tag: tag, in: groupPartition)
                try transaction.remove(record.tag, in: groupPartition, erasingSecret: true)
                return PendingRevocation(note, tag: tag)
            }
            return nil
        }
    }

    /// Removes the client's pending revocations for an account.
    ///
    /// - Returns: their number.
    /// - Throws: `severalAccounts` if the name is the subject of several accounts that have pending revocations.
    func forgetRevocations(of name: AccountName) throws(StorageError) -> Int {
        let now = clock.now().secondsSince1970
        return try change(until: newDeadline()) { (transaction) throws(StorageError) -> Int in
            let stored = try transaction.entries(of: groupPartition, where: \.isPendingRevocation).revocations
            let own = stored.map(\.note).filter { $0.counts(at: now) && $0.isOf(client: foldedClient) }
            let named = Set(own.map { HomeAccountID.comparable(UTF8Text($0.accountID.text)) })
                .filter { $0 == name.folded || HomeAccountID.isSubject(name.folded, of: $0) }
            guard named.count < 2 else { throw StorageError.severalSubjects }
            let account = named.first ?? name.folded
            var count = 0
            try transaction.removeRevocations(in: groupPartition) { note in
                guard note.counts(at: now) else { return true }
                let isMeant = note.isOf(account: account) && note.isOf(client: foldedClient)
                if isMeant { count += 1 }
                return isMeant
            }
            if count > 0 { try transaction.noteRemoval(.signOut, by: foldedClient, at: now, group: groupPartition) }
            return count
        }
    }
}

extension Transaction {
    fileprivate mutating func put(
        _ note: RevocationNote,
        _ payload: borrowing SecretBytes,
        tag: RecordTag,
        in group: PartitionTag
    ) throws(StorageError) {
        try put(note.encoded(), secret: payload.bytes, kind: .pendingRevocation, tag: tag, in: group)
    }

    /// Removes and erases pending revocations.
    ///
    /// - Returns: the records that stay, oldest first.
    @discardableResult
    package mutating func removeRevocations(
        in group: PartitionTag,
        where isUnwanted: (RevocationNote) -> Bool
    ) throws(StorageError) -> [StoredRecord] {
        let stored = try entries(of: group, where: \.isPendingRevocation).revocations
            .sorted { ($0.note.time, $0.record.sequence) < ($1.note.time, $1.record.sequence) }
        var others: [StoredRecord] = []
        for (record, note) in stored {
            if isUnwanted(note) {
                try remove(record.tag, in: group, erasingSecret: true)
            } else {
                others.append(record)
            }
        }
        return others
    }

    /// Removes pending revocations that expired, if the records of the group include any.
    mutating func removeExpiredRevocations(
        among records: [StoredRecord],
        in group: PartitionTag,
        at now: Int64
    ) throws(StorageError) {
        guard records.contains(where: { $0.kind.isPendingRevocation }) else { return }
        try removeRevocations(in: group) { !$0.counts(at: now) }
    }
}

extension TokenCache {
    /// Signs this application out of an account, or wipes it, and keeps refresh tokens until they are revoked.
    nonisolated(nonsending) package func signOut(
        _ account: Account,
        wiping isWipe: Bool,
        keeping tokens: [TokenToRevoke]
    ) async throws(TokenCacheError) -> KeptRevocations {
        try await engine.onPool { () throws(TokenCacheError) in
            try self.reporting(
                isWipe ? .wipe : .signOut,
                try translating(
                    try self.engine.signOut(of: try AccountName(account), wiping: isWipe, keeping: tokens)
                )
            )
        }
    }

    /// This application's refresh tokens that are not revoked yet, of one account or of all.
    nonisolated(nonsending) package func pendingTokens(
        of account: Account.ID?
    ) async throws(TokenCacheError) -> [PendingToken] {
        try await engine.onPool { () throws(TokenCacheError) in
            try translating(try self.engine.pendingTokens(of: account))
        }
    }

    /// Removes pending revocations that were sent, and returns those whose tokens are being redeemed, which stay.
    nonisolated(nonsending) package func forget(
        _ revocations: [PendingRevocation]
    ) async throws(TokenCacheError) -> [PendingRevocation] {
        try await engine.onPool { () throws(TokenCacheError) in
            try translating(try self.engine.forget(revocations))
        }
    }
}
