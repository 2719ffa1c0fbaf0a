// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// Checks whether a renewal may still be stored, or would restore entries that were removed since it began.
struct RenewalCheck {
    let codec: RecordCodec
    let clouds: CloudTable
    /// The client, folded.
    let client: String
    /// The account, folded.
    let account: String
    /// The partition of the response's account.
    let partition: PartitionTag
    /// The account to renew, folded, if the request names it: the server may respond with a different one.
    let asked: String?
    let stored: PartitionEntries
    /// The group's partition, with records about applications and removals.
    let group: PartitionEntries

    /// What happened to the account since the renewal began.
    enum Finding {
        /// The response may be stored.
        case acceptable
        /// The client was signed out, or its entries were removed.
        case overtaken
        /// The server responded with an account other than the one to renew.
        case ofAnotherAccount
    }

    /// Whether the result of redeeming `redeemed` may be stored. If the caller does not say what it redeemed, the
    /// client must be signed in or have a refresh token to redeem.
    ///
    /// - Throws: `damaged` if that is unknown.
    func finding(_ redeemed: RedeemedToken?, _ transaction: borrowing Transaction) throws(StorageError) -> Finding {
        if let asked, asked != account { return .ofAnotherAccount }
        try checkState(stored, in: partition)
        if stored.state(of: client, account: account).value == .signedOut { return .overtaken }
        let isAcceptable = if let redeemed { try isUnaffected(redeemed, transaction) } else { wasSignedIn() }
        return isAcceptable ? .acceptable : .overtaken
    }

    /// Whether no removal or sign-out affected the token since it was seen.
    private func isUnaffected(
        _ redeemed: RedeemedToken,
        _ transaction: borrowing Transaction
    ) throws(StorageError) -> Bool {
        if group.isMarkDamaged(.lastRemoval) { throw RenewalCheck.damagedMark }
        if let clear = group.lastRemoval, clear.removalSequence > redeemed.seenSequence { return false }
        // A token of an older library may belong to an account whose home account id was unknown until now.
        if redeemed.stored.partition == partition { return try !isRemoved(stored, since: redeemed) }
        let origin = try transaction.entries(of: redeemed.stored.partition)
        try checkState(origin, in: redeemed.stored.partition)
        if origin.state(of: client, account: account).value == .signedOut { return false }
        return try !isRemoved(origin, since: redeemed)
    }

    /// Whether the client is signed in to the account, or has a refresh token to redeem.
    private func wasSignedIn() -> Bool {
        stored.state(of: client, account: account).value == .signedIn || hasRefreshToken
    }

    private func checkState(_ entries: PartitionEntries, in partition: PartitionTag) throws(StorageError) {
        guard entries.damagedCount > 0 else { return }
        if entries.isStateDamaged(try codec.signInStateTag(clientID: client, partition: partition)) {
            throw StorageError(.damaged, detail: "the sign-in state of the account cannot be read")
        }
    }

    /// Whether the client's tokens, or the whole account, were removed after the redeemed token was handed out.
    private func isRemoved(_ entries: PartitionEntries, since redeemed: RedeemedToken) throws(StorageError) -> Bool {
        if entries.isMarkDamaged(.accountWipe) { throw RenewalCheck.damagedMark }
        if let wipe = entries.wipe, wipe.removalSequence > redeemed.seenSequence { return true }
        return entries.state(of: client, account: account).removalSequence > redeemed.seenSequence
    }

    private static let damagedMark = StorageError(.damaged, detail: "the record of the last removal cannot be read")

    /// Whether there is a refresh token that the client may redeem. After the account was removed there is none.
    private var hasRefreshToken: Bool {
        let own = UTF8Text(client)
        let tokens = stored.entries.filter {
            $0.fields.kind.isPlainRefreshToken && !$0.record.lacksToken
        }
        if tokens.contains(where: { $0.fields.clientID == own }) { return true }
        let session = FamilySession(stored, group: group, client: own, clouds: clouds)
        return tokens.contains { session.shares($0.fields) }
    }
}
