// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Writes the entries of a token response in one transaction, replacing old ones.
struct ResponseWriter {
    private(set) var entries: ResponseEntries
    /// What the request's tenant name resolves to; nil if it means an account's home tenant, or there is none.
    let naming: TenantNaming?
    let grant: TokenRequest.Grant
    /// The account that the request names, folded; nil if it names none.
    let asked: String?
    /// The redeemed refresh token, according to the request.
    let renewed: RedeemedToken?
    /// The query's request; nil if there was no query.
    let request: AskedRequest?
    let codec: RecordCodec
    let clouds: CloudTable
    /// The client, folded.
    let client: String
    let group: PartitionTag
    let now: Int64
    /// The refresh token that was redeemed under a lease; nil if the caller saves on its own.
    let redeemed: KnownSecret?
    /// The cached facts of a partition, which contain most of what a response replaces.
    let lastFacts: (PartitionTag) -> PartitionFacts?

    /// The result of writing a response.
    enum Outcome {
        /// The response was written.
        case saved(WrittenResponse)
        /// The server answered a renewal with another account's tokens: nothing is written.
        case ofAnotherAccount
        /// The account was signed out or removed since the renewal began: nothing of the client is written.
        case refused
        /// Another refresh token was stored since the renewal began: nothing is written.
        case superseded

        /// What was written; nil if nothing was.
        var written: WrittenResponse? {
            if case .saved(let written) = self { written } else { nil }
        }
    }

    /// - Parameters:
    ///   - response: the response that the entries were made from.
    ///   - transaction: the transaction to write with.
    /// - Returns: the result.
    /// - Throws: errors of the store; `damaged` for a renewal if it is unknown whether the account is signed out.
    func write(
        _ response: borrowing TokenResponse,
        with transaction: inout Transaction
    ) throws(StorageError) -> Outcome {
        let partition = try partition()
        let rows = lastFacts(partition)
        do throws(StorageError) {
            return try write(response, to: partition, knowing: rows, &transaction)
        } catch {
            guard error.code == .damaged, rows != nil, transaction.touched.isEmpty else { throw error }
            // A record that was intact when lookups read it may be damaged by now. Open all records again: a damaged
            // one then counts as missing.
            return try write(response, to: partition, knowing: nil, &transaction)
        }
    }

    private func write(
        _ response: borrowing TokenResponse,
        to partition: PartitionTag,
        knowing rows: PartitionFacts?,
        _ transaction: inout Transaction
    ) throws(StorageError) -> Outcome {
        let stored = try transaction.entries(of: partition, rows: rows)
        if let realm = naming?.noted(in: stored, clouds), realm != entries.realm.normalized() {
            var saving = self
            saving.entries = entries.moved(to: realm)
            return try saving.write(response, to: partition, knowing: rows, &transaction)
        }
        if let renewed, let old = stored.entries.first(where: { $0.record.holds(renewed.stored) }),
            !old.fields.isolation.isNone, entries.isRefreshTokenPlain
        {
            var saving = self
            saving.entries = entries.isolatingRefreshToken(as: try old.facts())
            return try saving.write(response, to: partition, knowing: rows, &transaction)
        }
        let answered = try answeredRefusals(in: partition, stored)
        guard let account = entries.homeAccountID.map(HomeAccountID.comparable)?.string else {
            var slots = slots(stored, partition)
            let places = try takePlaces(&slots)
            try write(places, of: response, in: partition, &transaction)
            try slots.removeExpiredTokens(from: &transaction)
            let shared = try transaction.entries(of: group, where: \.isRefusal)
            try transaction.removeRefusals(stored, in: partition, at: now, answered)
            try transaction.removeRefusals(shared, in: group, at: now, answered)
            try transaction.removeExpiredRevocations(among: shared.records, in: group, at: now)
            return .saved(
                outcome(of: places, account: nil, in: partition, answered: answered, transaction: transaction)
            )
        }
        let shared = try transaction.entries(of: group) { kind in
            kind.isAppMetadata || kind.isAccountMetadata || kind.isRefusal
                || kind == InternalRecordKind.lastRemoval.recordKind
        }
        if grant == .renewal {
            let check = RenewalCheck(
                codec: codec,
                clouds: clouds,
                client: client,
                account: account,
                partition: partition,
                asked: asked,
                stored: stored,
                group: shared
            )
            switch try check.finding(renewed, transaction) {
            case .acceptable: break
            case .ofAnotherAccount: return .ofAnotherAccount
            case .overtaken:
                try rotate(response, stored: stored, shared: shared, partition: partition, transaction: &transaction)
                return .refused
            }
        }
        var copies: [StoredEntry] = []
        if let redeemed {
            let duplicates = DuplicateRefreshTokens(stored, codec: codec, client: UTF8Text(client))
            copies = try duplicates.copies(of: redeemed)
            // Sequences seen in another partition, that of an older library's items, say nothing about this one.
            if copies.isEmpty, let seen = renewed, seen.stored.partition == partition {
                let session = FamilySession(stored, group: shared, client: UTF8Text(client), clouds: clouds)
                if duplicates.hasNewer(than: seen.seenSequence, session) { return .superseded }
            }
        }
        var slots = slots(stored, partition)
        let places = try takePlaces(&slots)
        let leftCopies = try copies.filter { copy in slots.remaining.contains { $0 === copy } }
            .map { (copy) throws(StorageError) in try copy.facts() }
        // Entries shared by several partitions are written first, so that no reader finds a token without them.
        if let metadata = entries.appMetadata {
            try transaction.putAppMetadata(metadata, over: shared, in: group, codec: codec, clouds: clouds)
        }
        try write(places, of: response, in: partition, &transaction)
        if let successor = response.refreshToken {
            for copy in leftCopies {
                let payload = try response.payload(of: successor)
                try transaction.put(copy, secret: payload.bytes, at: try codec.address(of: copy))
            }
        }
        let written = try writeAccount(&slots, &transaction)
        try slots.removeExpiredTokens(from: &transaction)
        var summary = AccountSummary(clouds: clouds)
        for entry in slots.remaining where entry.fields.kind == .account {
            summary.takeAccount(try entry.facts(), sequence: entry.record.sequence)
        }
        if let written { summary.takeAccount(written, sequence: transaction.context.sequence) }
        if grant == .interactive, let earlier = EarlierEntries(entries, codec: codec, client: client) {
            try earlier.remove(from: &transaction)
        }
        try naming?.write(over: stored, in: partition, clouds, codec: codec, at: now, &transaction)
        try writeState(stored, shared: shared, account: account, partition: partition, transaction: &transaction)
        try transaction.removeRefusals(stored, in: partition, at: now, answered)
        try transaction.removeRefusals(shared, in: group, at: now, answered)
        try transaction.removeExpiredRevocations(among: shared.records, in: group, at: now)
        return .saved(
            outcome(of: places, account: summary, in: partition, answered: answered, transaction: transaction)
        )
    }

    private func outcome(
        of places: [ReplacementPlan.Whole],
        account: AccountSummary?,
        in partition: PartitionTag,
        answered: AnsweredRefusals,
        transaction: borrowing Transaction
    ) -> WrittenResponse {
        let sequence = transaction.context.sequence
        let accessToken = zip(entries.credentials, places).first { $0.0.entry.kind.isAccessToken }
        return WrittenResponse(
            account: account,
            homeAccountID: entries.homeAccountID.map(HomeAccountID.comparable)?.string,
            accessToken: accessToken.map { _, place in
                WrittenToken(partition: partition, tag: place.address.tag, sequence: sequence)
            },
            answered: answered
        )
    }

    /// The refusals that the response ends: all of the client's if the user signed in, otherwise those of the request.
    private func answeredRefusals(
        in partition: PartitionTag,
        _ stored: PartitionEntries
    ) throws(StorageError) -> AnsweredRefusals {
        var answered = AnsweredRefusals()
        let host = clouds.preferredNetworkHost(for: entries.environment).string
        if grant == .interactive {
            answered.client = client
            answered.partitions = [partition]
            answered.host = host
        }
        if let request {
            let issuer = TokenServer(host: host, tenant: entries.realm.normalized().string)
            let number = try numberOfRenewedToken(in: stored)
            for key in [
                .request(request, with: number), .scopes(request.token, by: issuer), .trouble(request),
            ] as [RefusalKey] {
                answered.tags.insert(try codec.refusalTag(key, partition: partition))
            }
            let key = RefusalKey.server(request.server, client: client)
            answered.tags.insert(try codec.refusalTag(key, partition: group))
        }
        return answered
    }

    /// The number of the redeemed token's lease; nil if the token is gone.
    private func numberOfRenewedToken(in stored: PartitionEntries) throws(StorageError) -> UInt64? {
        guard let renewed else { return nil }
        if let redeemed {
            let sealer = try codec.unlockedKeys.tagSealer()
            return try sealing(try redeemed.secret.leaseNumber(with: sealer))
        }
        guard let entry = stored.entries.first(where: { $0.record.holds(renewed.stored) }) else { return nil }
        return try codec.tokenNumber(of: entry.record, stored.reader)
    }

    private func slots(_ stored: PartitionEntries, _ partition: PartitionTag) -> ReplacementPlan {
        var slots = ReplacementPlan(stored, partition: partition, codec: codec, clouds: clouds)
        slots.freeExpiredTokens(of: UTF8Text(client), now: now)
        return slots
    }

    private func rotate(
        _ response: borrowing TokenResponse,
        stored: PartitionEntries,
        shared: PartitionEntries,
        partition: PartitionTag,
        transaction: inout Transaction
    ) throws(StorageError) {
        guard let redeemed = renewed else { return }
        let rotation = FamilyRotation(
            session: FamilySession(stored, group: shared, client: UTF8Text(client), clouds: clouds),
            codec: codec,
            stored: stored,
            partition: partition,
            now: now
        )
        try rotation.write(response, inPlaceOf: redeemed.stored, &transaction)
    }

    private func partition() throws(StorageError) -> PartitionTag {
        if let account = entries.homeAccountID {
            return try codec.partition(ofAccount: HomeAccountID.comparable(account).bytes)
        }
        let realm = Array(entries.realm.normalized().utf8)
        return try codec.partition(ofApplication: Array(client.utf8), realm: realm)
    }

    /// Plans all tokens before writing anything, because entries to replace may turn out to be damaged.
    private func takePlaces(_ slots: inout ReplacementPlan) throws(StorageError) -> [ReplacementPlan.Whole] {
        var places: [ReplacementPlan.Whole] = []
        places.reserveCapacity(entries.credentials.count)
        for credential in entries.credentials {
            let place = try slots.take(credential.entry.fields) { (format) throws(SchemaError) in
                try credential.entry.facts(format)
            }
            places.append(place)
        }
        return places
    }

    private func write(
        _ places: [ReplacementPlan.Whole],
        of response: borrowing TokenResponse,
        in partition: PartitionTag,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        for (credential, place) in zip(entries.credentials, places) {
            let payload = try response.payload(of: credential.token)
            try transaction.put(place.facts, secret: payload.bytes, at: place.address)
            for tag in place.replaced { try transaction.remove(tag, in: partition, erasingSecret: false) }
        }
    }

    /// - Returns: the account's entry; nil if the response says nothing new about the account.
    private func writeAccount(
        _ slots: inout ReplacementPlan,
        _ transaction: inout Transaction
    ) throws(StorageError) -> EntryFacts? {
        guard let account = entries.account else { return nil }
        let slot = try slots.takeMerging(account)
        try transaction.putMerged(slot, in: slots)
        return slot.facts
    }

    /// An interactive sign-in brings the account back; the first renewal records that it exists.
    private func writeState(
        _ stored: PartitionEntries,
        shared: PartitionEntries,
        account: String,
        partition: PartitionTag,
        transaction: inout Transaction
    ) throws(StorageError) {
        let state = stored.state(of: client, account: account)
        let isNews = state.value != .signedIn || state.hasLostToken
        if isNews { try transaction.put(state.changed(to: .signedIn, at: now), in: partition) }
        guard isNews || naming?.resolved != nil else { return }
        let metadata = AccountMetadataEntries(stored: shared, group: group, codec: codec)
        try metadata.change(of: UTF8Text(client), &transaction) { change in
            if isNews { change.setSignInState(.signedIn, ofAccount: UTF8Text(account)) }
            naming?.write(to: &change)
        }
    }
}

extension Transaction {
    /// Merges an entry into an old one, unless that already contains all of it. A secret in the old one is preserved.
    mutating func putMerged(_ slot: ReplacementPlan.Merged, in slots: ReplacementPlan) throws(StorageError) {
        guard let address = slot.address else { return }
        if let old = slot.old, try old.facts().secretCount > 0,
            let payload = try slots.codec.openSecret(of: old.record, reader: slots.reader)
        {
            try put(slot.facts, secret: payload.bytes, at: address)
        } else {
            try put(slot.facts, secret: RawSpan(), at: address)
        }
        if let old = slot.old, old.record.tag != address.tag {
            try remove(old.record.tag, in: slots.partition, erasingSecret: false)
        }
    }
}
