// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Merges what a client did with the entries of one account, or with its own tokens, under the writer's lock. Every
/// decision is based on the state before the merge: the edits of one document never affect each other.
struct AccountMerge {
    private let edits: DocumentMerge.Edits
    private let partition: PartitionTag
    private let stored: PartitionEntries
    private let group: PartitionEntries
    /// The account; nil for tokens that an application obtained for itself.
    private let account: AccountName?
    private let session: FamilySession
    private let state: SignInRecord
    /// Whether the client was signed out of the account, or the account removed, since the document was read.
    private let isRemoved: Bool
    /// The numbers of the tokens that removals took from any client.
    private let removedTokens: Set<UInt64>
    /// Those that were taken from this client, if its state changed since the document was read: what was handed out later
    /// was stored again.
    private let removedSince: Set<UInt64>
    /// What is done with the records.
    private var written: Set<RecordTag> = []
    private var replaced: Set<RecordTag> = []
    private var hasCredentials = false
    private var numbers: [RecordTag: UInt64?] = [:]
    private(set) var merge: DocumentMerge

    init(
        _ edits: DocumentMerge.Edits,
        of partition: PartitionTag,
        stored: PartitionEntries,
        group: PartitionEntries,
        merge: consuming DocumentMerge
    ) throws(StorageError) {
        self.edits = edits
        self.partition = partition
        self.stored = stored
        self.group = group
        self.merge = merge
        let fields = stored.entries.map(\.fields) + edits.changed.map(\.entry.fields)
        let id = fields.lazy.compactMap(\.homeAccountID).first
        let username = fields.lazy.compactMap(\.username).first
        account = id.map { AccountName($0, .homeAccountID) } ?? username.map { AccountName($0, .username) }
        session = FamilySession(stored, group: group, client: merge.client, clouds: merge.clouds)
        let client = merge.client.string
        state = stored.state(of: client, account: account?.folded.string ?? "")
        let tag = try merge.codec.signInStateTag(clientID: client, partition: partition)
        let seen = merge.base.sequence(of: partition)
        let removals = [state.removalSequence, stored.wipe?.removalSequence, group.lastRemoval?.removalSequence]
        // What cannot be read may be a removal.
        isRemoved =
            state.value == .signedOut || removals.contains { $0 ?? 0 > seen } || stored.isStateDamaged(tag)
            || stored.isMarkDamaged(.accountWipe) || group.isMarkDamaged(.lastRemoval)
        removedTokens = Set(stored.states.flatMap(\.state.removedTokens))
        let isNewer = stored.states.contains { $0.state.clientID == client && $0.record.sequence > seen }
        removedSince = isNewer ? Set(state.removedTokens) : []
    }

    mutating func write(_ document: RawSpan, _ transaction: inout Transaction) throws(StorageError) {
        let gone = goneClouds
        if !gone.isEmpty, let account {
            if !hasOtherClouds(than: gone) { return try signOut(of: account, &transaction) }
            try remove(clouds: gone, &transaction)
        }
        for edit in edits.changed {
            let kind = edit.entry.facts.kind
            if kind == .account {
                try takeAccount(edit, document, &transaction)
            } else if isSuperseded(edit) {
                merge.keep(edit.entry, in: partition)
            } else if kind.isCredential, edit.entry.fields.clientID == merge.client {
                try take(edit, document, &transaction)
            } else if kind.isPlainRefreshToken, edit.base != nil {
                try takeRotation(edit, document, &transaction)
            } else {
                merge.ignore(edit.entry, in: partition)
            }
        }
        for handed in edits.missing where !gone.contains(handed.content.cloud) { try takeRemoval(handed, &transaction) }
        for tag in replaced.subtracting(written).sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) }) {
            try transaction.remove(tag, in: partition, erasingSecret: false)
        }
        if hasCredentials { try finish(&transaction) }
    }

    /// Whether it is a refresh token of the client under a key that it was not handed, and nobody removed it before.
    private func isNewRefreshToken(_ edit: DocumentMerge.Edit) -> Bool {
        let entry = edit.entry
        guard edit.base == nil, entry.facts.kind.isPlainRefreshToken, entry.fields.clientID == merge.client,
            let token = entry.content.token
        else { return false }
        return !removedTokens.contains(token)
    }

    /// Whether the document has a later refresh token in place of this one: a library that renews in place, under a key of
    /// another library's form or in the entry of another client of the family, adds the token of its next sign-in under
    /// its own key.
    private func isSuperseded(_ edit: DocumentMerge.Edit) -> Bool {
        guard edit.base != nil, edit.entry.facts.kind.isPlainRefreshToken else { return false }
        return edits.changed.contains { new in
            isNewRefreshToken(new)
                && SameCredential(saved: new.entry.fields, clouds: merge.clouds).isReplaced(edit.entry.fields)
        }
    }

    // MARK: - Sign-outs

    /// The clouds in which the client was handed the account, and has neither its entries nor own tokens any more.
    private var goneClouds: Set<Int> {
        let handed = Set(edits.handed.lazy.filter { $0.content.kind == .account }.map(\.content.cloud))
        let present = Set(edits.present.lazy.filter { $0.kind == .account || $0.isOwn }.map(\.cloud))
        return handed.subtracting(present)
    }

    private func hasOtherClouds(than gone: Set<Int>) -> Bool {
        let own = stored.entries.filter { $0.fields.kind.isCredential && $0.fields.clientID == merge.client }
        return edits.present.contains { ($0.kind == .account || $0.isOwn) && !gone.contains($0.cloud) }
            || own.contains { !gone.contains(cloud(of: $0)) }
    }

    private func cloud(of entry: StoredEntry) -> Int {
        merge.clouds.preferredCacheHost(for: entry.fields.environment).hashValue
    }

    /// The numbers of the tokens that the client was handed, and of those that its earlier merges removed.
    private func handedTokens(in clouds: Set<Int>? = nil) -> [UInt64] {
        let handed = edits.handed.filter { clouds?.contains($0.content.cloud) ?? true }
        return (merge.base.removedTokens[partition] ?? []) + handed.compactMap(\.content.token)
    }

    private mutating func signOut(of account: AccountName, _ transaction: inout Transaction) throws(StorageError) {
        for edit in edits.changed { merge.ignore(edit.entry, in: partition) }
        let removal = removal(of: account)
        let hasEntries = stored.entries.contains { removal.isLeaving($0.fields, session) }
        let tokens = handedTokens().filter { !state.removedTokens.contains($0) }
        // Somebody else may have done it already.
        guard state.value != .signedOut || hasEntries || !tokens.isEmpty else { return }
        let signOut = AccountSignOut(
            of: account,
            client: merge.client.string,
            codec: merge.codec,
            clouds: merge.clouds,
            now: merge.now
        )
        try signOut.write(group: group, in: merge.groupPartition, taking: tokens, &transaction)
        merge.base.noteSignOut(partition)
        merge.report.signedOutCount += 1
    }

    private func removal(of account: AccountName) -> AccountRemoval {
        AccountRemoval(
            partition: partition,
            account: account.folded.string,
            codec: merge.codec,
            client: merge.client.string,
            now: merge.now
        )
    }

    /// Removes the client's entries of some clouds. It stays signed in to the account in the others.
    private mutating func remove(clouds: Set<Int>, _ transaction: inout Transaction) throws(StorageError) {
        guard let account else { return }
        let removal = removal(of: account)
        var tokens = handedTokens(in: clouds)
        for entry in stored.entries
        where clouds.contains(cloud(of: entry)) && removal.isLeaving(entry.fields, session) {
            if let number = try number(of: entry) { tokens.append(number) }
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: true)
            merge.report.removedCount += 1
        }
        try transaction.put(state.taking(tokens), in: partition)
        try transaction.noteRemoval(
            .signOut,
            by: merge.client.string,
            at: merge.now,
            group: merge.groupPartition
        )
    }

    /// Whether the client may write to the account in a cloud: it was not signed out since, or has signed in again.
    ///
    /// A client that was handed no refresh token for it can have new tokens only from the user. But a library may also
    /// bring back what it had in its memory, which the numbers of removed tokens show.
    private func isAccepted(in cloud: Int) -> Bool {
        guard account != nil else { return true }
        let handed = edits.handed.filter { $0.content.cloud == cloud }
        let hasRemoved = handed.contains { $0.content.isOwn && removedSince.contains($0.content.token ?? 0) }
        guard isRemoved || hasRemoved else { return true }
        if handed.contains(where: { $0.content.kind.isRefreshToken && $0.content.token != nil }) { return false }
        let new = edits.changed.lazy.map(\.entry.content).filter { $0.isOwn && $0.cloud == cloud }
        let refreshTokens = new.filter(\.kind.isRefreshToken)
        let evidence = refreshTokens.isEmpty ? Array(new) : Array(refreshTokens)
        return evidence.contains { $0.token.map { !removedTokens.contains($0) } ?? false }
    }

    // MARK: - Credentials

    /// The number of a stored entry's token; nil if it cannot be read.
    private mutating func number(of entry: StoredEntry) throws(StorageError) -> UInt64? {
        if let known = numbers[entry.record.tag] { return known }
        let number = try merge.codec.tokenNumber(of: entry.record, stored.reader)
        numbers[entry.record.tag] = .some(number)
        return number
    }

    /// The stored refresh tokens with a number, of any client.
    private mutating func refreshTokens(_ number: UInt64?) throws(StorageError) -> [StoredEntry] {
        guard let number else { return [] }
        var found: [StoredEntry] = []
        for entry in stored.entries where entry.fields.kind.isPlainRefreshToken {
            if try self.number(of: entry) == number { found.append(entry) }
        }
        return found
    }

    /// Whether the client was handed this version of a stored entry, or another one with the same token.
    private mutating func wasHanded(_ entry: StoredEntry) throws(StorageError) -> Bool {
        if edits.handed.contains(where: { $0.tag == entry.record.tag && $0.sequence == entry.record.sequence }) {
            return true
        }
        guard let number = try number(of: entry) else { return true }
        return edits.handed.contains { $0.content.token == number }
    }

    /// Takes a new or changed credential of the client.
    private mutating func take(
        _ edit: DocumentMerge.Edit,
        _ document: RawSpan,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let (entry, fields) = (edit.entry, edit.entry.fields)
        guard let token = entry.content.token else { return merge.ignore(entry, in: partition) }
        let same = SameCredential(saved: fields, clouds: merge.clouds)
        let address = try merge.codec.address(of: entry.facts, fields: fields)
        guard address.partition == partition else { return merge.ignore(entry, in: partition) }
        let theirs = stored.entries.filter { other in
            same.mayReplace(other.fields.kind) && same.isReplaced(other.fields)
                || other.record.tag == address.tag && other.fields.clientID == merge.client
        }
        for other in theirs {
            if try number(of: other) == token { return try takeMembers(edit, over: other, &transaction) }
        }
        // The client changed nothing but the form of a token that the group no longer has.
        if edit.base?.content.token == token { return }
        if removedTokens.contains(token) { return refuse(entry) }
        // Other keys, and other clients of the family, may have the token that this one replaces.
        let copies = try entry.facts.kind.isPlainRefreshToken ? refreshTokens(edit.base?.content.token) : []
        guard isAccepted(in: entry.content.cloud) else {
            // Under a new key, the successor of a token of the family does not show which one it replaces.
            for copy in isNewRefreshToken(edit) ? theirs : copies where session.isSharedByOthers(copy.fields) {
                if try wasHanded(copy) { try rotate(copy, to: entry, document, &transaction) }
            }
            return refuse(entry)
        }
        for other in theirs {
            if try wasHanded(other) { continue }
            let isCertain = EntryAge(other.fields.times).isSurelyNewer(than: EntryAge(fields.times))
            let isSame = try isSame(other.facts(), other.fields, entry)
            if isCertain, isSame || other.record.tag == address.tag {
                merge.report.keptCount += 1
                return merge.keep(entry, in: partition)
            }
        }
        for copy in copies where !theirs.contains(where: { $0 === copy }) {
            if copy.fields.clientID == merge.client {
                replaced.insert(copy.record.tag)
            } else {
                try rotate(copy, to: entry, document, &transaction)
            }
        }
        let (facts, place) = try vacant(entry, address)
        try merge.put(facts, entry, at: place, document, &transaction)
        written.insert(place.tag)
        for other in theirs {
            if try isLeaving(other, entry) { replaced.insert(other.record.tag) }
        }
        try removeTwin(of: place, &transaction)
        hasCredentials = true
    }

    private func isSame(_ facts: EntryFacts, _ fields: CredentialFields, _ entry: EditedDocument.Entry) -> Bool {
        EntryIdentity(facts, fields, clouds: merge.clouds)?.hashValue == entry.content.identity
    }

    /// Whether a stored entry goes when an edited one replaces it. Access tokens that only share some scopes stay if the
    /// client itself has both.
    private func isLeaving(_ other: StoredEntry, _ entry: EditedDocument.Entry) throws(StorageError) -> Bool {
        guard other.fields.kind.isAccessToken, edits.unchanged.contains(other.record.tag) else { return true }
        return isSame(try other.facts(), other.fields, entry)
    }

    /// The place of an entry, under another key if another client's entry has its own: the keys of some libraries do not
    /// distinguish them.
    private func vacant(
        _ entry: EditedDocument.Entry,
        _ address: RecordAddress
    ) throws(StorageError) -> (EntryFacts, RecordAddress) {
        var (facts, place, number) = (entry.facts, address, 1)
        while let holder = stored.entries.first(where: { $0.record.tag == place.tag }),
            holder.fields.clientID != merge.client,
            !SameCredential(saved: entry.fields, clouds: merge.clouds).isReplaced(holder.fields),
            let key = entry.facts.key
        {
            number += 1
            facts = entry.facts.under(UTF8Text("\(key.string)-\(number)"))
            place = try merge.codec.address(of: facts, fields: entry.fields)
        }
        return (facts, place)
    }

    /// An entry with the same key that an import kept without understanding it is an older state of it.
    private func removeTwin(of place: RecordAddress, _ transaction: inout Transaction) throws(StorageError) {
        guard group.records.contains(where: { $0.tag == place.tag && $0.kind == RecordCodec.kind(.opaque) }) else {
            return
        }
        try transaction.remove(place.tag, in: merge.groupPartition, erasingSecret: false)
    }

    /// Takes other members of a credential with the token that the group has.
    private mutating func takeMembers(
        _ edit: DocumentMerge.Edit,
        over other: StoredEntry,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let entry = edit.entry
        let isHanded = edit.base?.tag == other.record.tag && edit.base?.sequence == other.record.sequence
        let facts = try other.facts()
        var merged = facts
        // A token that the family still needs stays the family's.
        if isHanded, other.fields.clientID == merge.client, other.fields != entry.fields,
            entry.fields.familyID != nil || !session.isSharedByOthers(other.fields)
        {
            merged = facts.taking(from: entry.facts) { _, _ in true }
        }
        guard merged != facts, try merge.codec.address(of: merged).tag == other.record.tag,
            let payload = try merge.codec.openSecret(of: other.record, reader: stored.reader)
        else {
            return merge.note(entry, at: other.record.tag, in: partition, sequence: other.record.sequence)
        }
        try transaction.put(merged, secret: payload.bytes, at: try merge.codec.address(of: merged))
        written.insert(other.record.tag)
        merge.report.writtenCount += 1
        merge.note(entry, at: other.record.tag, in: partition, sequence: transaction.context.sequence)
    }

    private mutating func refuse(_ entry: EditedDocument.Entry) {
        merge.report.refusedCount += 1
        merge.keep(entry, in: partition)
    }

    /// Takes the successor of another client's refresh token that the client redeemed as a member of the family: it
    /// replaces the redeemed token everywhere.
    private mutating func takeRotation(
        _ edit: DocumentMerge.Edit,
        _ document: RawSpan,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let entry = edit.entry
        guard let spent = edit.base?.content.token, let token = entry.content.token, token != spent else {
            return merge.ignore(entry, in: partition)
        }
        if removedTokens.contains(token) { return refuse(entry) }
        let isAccepted = isAccepted(in: entry.content.cloud)
        let holders = try refreshTokens(spent).filter { isAccepted || session.isSharedByOthers($0.fields) }
        for holder in holders { try rotate(holder, to: entry, document, &transaction) }
        if !isAccepted { return refuse(entry) }
        if holders.isEmpty {
            merge.report.keptCount += 1
            return merge.keep(entry, in: partition)
        }
        hasCredentials = true
    }

    /// Replaces the token of a stored entry, and nothing else but the time of the change.
    private mutating func rotate(
        _ holder: StoredEntry,
        to entry: EditedDocument.Entry,
        _ document: RawSpan,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let old = try holder.facts()
        guard old.secretCount == 1, entry.secrets.ranges.count == 1 else { return }
        let facts = old.taking(from: entry.facts) { name, _ in name == Array("last_modification_time".utf8) }
        let address = try merge.codec.address(of: facts)
        try merge.put(facts, entry, at: address, document, &transaction)
        written.insert(address.tag)
    }

    // MARK: - Accounts and removals

    private mutating func takeAccount(
        _ edit: DocumentMerge.Edit,
        _ document: RawSpan,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let cloud = edit.entry.content.cloud
        // A library that changed the account's id wrote another account.
        let address = try merge.codec.address(of: edit.entry.facts, fields: edit.entry.fields)
        guard address.partition == partition else { return merge.ignore(edit.entry, in: partition) }
        // Accounts are shared: one of which the client has nothing else is not its own.
        guard edit.base != nil || edits.present.contains(where: { $0.kind.isCredential && $0.cloud == cloud }) else {
            return merge.ignore(edit.entry, in: partition)
        }
        guard isAccepted(in: cloud) else { return refuse(edit.entry) }
        try merge.put(edit, over: stored, in: partition, document, &transaction)
    }

    /// Takes the removal of an entry, if it is still as the client was handed it. Other clients' entries stay, and so does
    /// what other clients need.
    private mutating func takeRemoval(
        _ handed: DocumentBase.Entry,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        merge.base.noteRemoval(of: handed.content.token, in: partition)
        guard handed.content.isRemovable, !written.contains(handed.tag),
            let entry = stored.entries.first(where: { $0.record.tag == handed.tag })
        else { return }
        if entry.record.sequence != handed.sequence {
            guard let token = handed.content.token, try number(of: entry) == token else { return }
        }
        if entry.fields.kind == .account {
            let isShared = stored.entries.contains {
                $0.fields.kind.isCredential && $0.fields.clientID != merge.client
            }
            if isShared { return }
        }
        if session.isSharedByOthers(entry.fields) { return }
        replaced.remove(entry.record.tag)
        try transaction.remove(
            entry.record.tag,
            in: partition,
            erasingSecret: entry.fields.kind.isRefreshToken
        )
        merge.report.removedCount += 1
    }

    /// What a save does besides: the client is signed in, and its notes of refusals are gone.
    private mutating func finish(_ transaction: inout Transaction) throws(StorageError) {
        guard let account else { return }
        let client = merge.client.string
        merge.base.noteSignIn(partition, in: transaction.context.sequence)
        if state.value != .signedIn || state.hasLostToken {
            try transaction.put(state.changed(to: .signedIn, at: merge.now), in: partition)
            let metadata = AccountMetadataEntries(
                stored: group,
                group: merge.groupPartition,
                codec: merge.codec
            )
            try metadata.change(of: merge.client, &transaction) { change in
                change.setSignInState(.signedIn, ofAccount: account.folded)
            }
        }
        let answered = AnsweredRefusals(client: client, partitions: [partition])
        try transaction.removeRefusals(stored, in: partition, at: merge.now, answered)
    }
}
