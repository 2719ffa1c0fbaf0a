// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// Processes a refusal.
    func refuse(_ token: RefreshToken, _ response: TokenErrorResponse) throws(StorageError) -> RefusalOutcome {
        try checkProcess()
        let facts = token.answer.facts
        let row = facts.row(Int(token.row))
        let issuer = IssuerKind(host: UTF8Text(token.environment), clouds: clouds)
        switch RefusalMeaning(response, from: issuer) {
        case .serverTrouble:
            return .unavailable(until: keepTrouble(response, of: token))
        case .userNeeded:
            return .kept(mayTryFamily: try noteRequest(token, response))
        case .unexplained:
            return try block(token, response) ? .blocked : .changed(.superseded)
        case .foreignFamily:
            guard row.isFamilyToken || row.kind.isLegacy && row.namesFamily else {
                return .kept(mayTryFamily: try noteRequest(token, response))
            }
            try leaveFamily(in: token.environment)
            return .changed(.leftFamily)
        case .deadToken:
            // If the secret can no longer be read, another process has removed or replaced the token.
            guard let redeemed = try facts.openTokenIfReadable(of: Int(token.row)) else { return .changed(.superseded) }
            try keepLastResponse(response, of: redeemed)
            let account = HomeAccountID.comparable(UTF8Text(token.accountID?.text ?? "")).string
            return .changed(try remove(redeemed, from: facts.partition, account) ? .removed : .superseded)
        case .deletedAccount:
            if let redeemed = try facts.openTokenIfReadable(of: Int(token.row)) {
                try keepLastResponse(response, of: redeemed)
            }
            let account = try accountName(of: token)
            return .changed(try signOut(of: account, whileStored: token.stored) ? .signedOut : .superseded)
        }
    }

    /// Called before the token is removed, so that no thread finds it removed without a reason.
    private func keepLastResponse(_ response: TokenErrorResponse, of redeemed: KnownSecret) throws(StorageError) {
        let number = try leaseNumber(of: redeemed)
        lastResponses.withLock { $0.keep(response, of: number) }
    }

    /// Records that a request was refused.
    ///
    /// - Returns: whether a token of the client's family may still succeed.
    private func noteRequest(_ token: RefreshToken, _ response: TokenErrorResponse) throws(StorageError) -> Bool {
        // One deadline for the lookup and the note.
        let deadline = newDeadline()
        let mayTryFamily = try hasFamilyToken(beside: token, response, until: deadline)
        let kind = mayTryFamily ? RefusalNote.Kind.requestOfOwnTokens : .request
        let facts = token.answer.facts
        // If the secret can no longer be read, another process has removed or replaced the token.
        if let redeemed = try facts.openTokenIfReadable(of: Int(token.row)) {
            let key = RefusalKey.request(token.asked, with: try leaseNumber(of: redeemed))
            keepRefusal(of: key, kind, response, in: facts.partition, until: deadline)
        }
        return mayTryFamily
    }

    /// Whether the client's own token was refused and its family has another, which MSAL for ObjC would try.
    private func hasFamilyToken(
        beside token: RefreshToken,
        _ response: TokenErrorResponse,
        until deadline: Deadline
    ) throws(StorageError) -> Bool {
        let (answer, row) = (token.answer, Int(token.row))
        let suberror = response.suberror.map { UTF8Text($0) }
        guard RefusalMeaning.mayHelpAnotherToken(error: UTF8Text(response.error), suberror: suberror),
            isOwn(row, of: answer),
            let redeemed = try answer.facts.openTokenIfReadable(of: row)
        else { return false }
        for candidate in try refreshTokens(beside: token, until: deadline) where !isOwn(candidate, of: answer) {
            guard let other = try answer.facts.openTokenIfReadable(of: candidate) else { continue }
            if !redeemed.secret.isEqual(to: other.secret) { return true }
        }
        return false
    }

    /// Records that a refresh token is useless to this client as long as it is stored. Erases nothing.
    ///
    /// - Returns: false if the token is no longer stored.
    @discardableResult
    func block(_ token: RefreshToken, _ response: TokenErrorResponse) throws(StorageError) -> Bool {
        let facts = token.answer.facts
        guard let redeemed = try facts.openTokenIfReadable(of: Int(token.row)) else { return false }
        let note = RefusalNote(
            .token,
            client: foldedClient,
            period: RefusalPeriod(madeOn: clock.now().secondsSince1970, until: .max),
            response: response,
            of: token.stored
        )
        keep(note, about: .token(try leaseNumber(of: redeemed), client: foldedClient), in: facts.partition)
        return true
    }

    /// The same in a transaction of its own.
    func block(_ redeemed: WrittenToken) throws(StorageError) {
        try change(until: newDeadline()) { (transaction) throws(StorageError) in try block(redeemed, &transaction) }
    }

    /// Records that a refresh token yielded another account's tokens, so that it is not redeemed again for this client
    /// as long as it is stored. Erases nothing.
    func block(_ redeemed: WrittenToken, _ transaction: inout Transaction) throws(StorageError) {
        let stored = try transaction.entries(of: redeemed.partition) {
            $0.isLegacy || EntryKind(rawValue: $0.rawValue)?.isRefreshToken ?? false
        }
        guard let entry = stored.entries.first(where: { $0.record.holds(redeemed) }),
            let known = try secret(of: entry, stored)
        else { return }
        let key = RefusalKey.token(try leaseNumber(of: known), client: foldedClient)
        let now = clock.now().secondsSince1970
        let note = RefusalNote(
            .mismatch,
            client: foldedClient,
            period: RefusalPeriod(madeOn: now, until: .max),
            response: nil,
            of: redeemed
        )
        let tag = try codec.refusalTag(key, partition: redeemed.partition)
        _ = try transaction.keep(note, under: tag, in: redeemed.partition, at: now)
    }

    /// The account of a token. An ADAL item has no home account id, so the query's account is used.
    private func accountName(of token: RefreshToken) throws(StorageError) -> AccountName {
        if let id = token.accountID { return try AccountName(id, .homeAccountID) }
        let terms = token.answer.terms
        return try AccountName(Account.ID(terms.text(terms.account) ?? ""), .either)
    }

    /// Removes the refresh tokens of a partition that have this secret, and erases it from the disk.
    ///
    /// This is not recorded as a sign-out, so renewals in progress with another token may store their result. The loss
    /// of the token is recorded for this client, and for the clients that shared it.
    ///
    /// - Returns: false if no record has it any longer.
    private func remove(
        _ redeemed: KnownSecret,
        from partition: PartitionTag,
        _ account: String
    ) throws(StorageError) -> Bool {
        try change(until: newDeadline()) { (transaction) throws(StorageError) in
            var isFound = false
            let stored = try transaction.entries(of: partition) {
                $0.isLegacy || $0 == InternalRecordKind.signInState.recordKind
                    || EntryKind(rawValue: $0.rawValue)?.isRefreshToken ?? false
            }
            var removed: [CredentialFields] = []
            for entry in stored.entries {
                guard let known = try secret(of: entry, stored), redeemed.secret.isEqual(to: known.secret) else {
                    continue
                }
                try transaction.remove(entry.record.tag, in: partition, erasingSecret: true)
                isFound = true
                removed.append(entry.fields)
            }
            if isFound {
                try noteLoss(
                    of: removed,
                    account: account,
                    stored: stored,
                    partition: partition,
                    transaction: &transaction
                )
            }
            return isFound
        }
    }

    /// Records the loss for each client that could redeem the tokens.
    private func noteLoss(
        of tokens: [CredentialFields],
        account: String,
        stored: PartitionEntries,
        partition: PartitionTag,
        transaction: inout Transaction
    ) throws(StorageError) {
        let group = try transaction.entries(of: groupPartition, where: \.isAppMetadata)
        var clients: Set<String> = [foldedClient]
        for (_, state) in stored.states where state.value != .signedOut {
            let session = FamilySession(stored, group: group, client: UTF8Text(state.clientID), clouds: clouds)
            let concerns = tokens.contains { token in
                token.clientID == UTF8Text(state.clientID) || session.shares(token)
            }
            if concerns { clients.insert(state.clientID) }
        }
        let now = clock.now().secondsSince1970
        for client in clients.sorted() {
            let tag = try codec.signInStateTag(clientID: client, partition: partition)
            // An unreadable state may say that the client is signed out.
            if stored.isStateDamaged(tag) { continue }
            try transaction.put(stored.state(of: client, account: account).losing(at: now), in: partition)
        }
    }

    /// The token of an entry; nil if it cannot be read.
    func secret(of entry: StoredEntry, _ stored: PartitionEntries) throws(StorageError) -> KnownSecret? {
        guard let token = try codec.token(of: entry.record, stored.reader) else { return nil }
        return KnownSecret(token)
    }

    /// Records that this client belongs to no family in the cloud of a host.
    private func leaveFamily(in environment: String) throws(StorageError) {
        let clouds = clouds
        let metadata = NewAppMetadata(
            clientID: UTF8Text(clientID).trimmed(),
            environment: clouds.preferredCacheHost(for: UTF8Text(environment)),
            familyID: ""
        )
        try change(until: newDeadline()) { (transaction) throws(StorageError) in
            let stored = try transaction.entries(of: groupPartition, where: \.isAppMetadata)
            try transaction.putAppMetadata(metadata, over: stored, in: groupPartition, codec: codec, clouds: clouds)
        }
    }
}

/// The result of processing a refusal.
enum RefusalOutcome: Hashable {
    /// Something changed, so the cache must be queried again.
    case changed(RefusalConsequence)
    /// The token is kept, but useless to this client.
    case blocked
    /// The request is refused; a token of the client's family may succeed.
    case kept(mayTryFamily: Bool)
    /// The server did not process the request, and is not asked again until this time, in seconds since 1970; nil if it
    /// may be asked at once.
    case unavailable(until: Int64?)

    /// As reported to callers.
    var consequence: RefusalConsequence {
        switch self {
        case .changed(let consequence): consequence
        case .blocked: .blocked
        case .kept, .unavailable: .kept
        }
    }
}

extension RefusalMeaning {
    fileprivate init(_ response: TokenErrorResponse, from issuer: IssuerKind) {
        if response.isOfServerInTrouble {
            self = .serverTrouble
        } else {
            let suberror = response.suberror.map { UTF8Text($0) }
            self.init(error: UTF8Text(response.error), suberror: suberror, issuer: issuer)
        }
    }
}
