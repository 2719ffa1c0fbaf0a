// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// The notes of a partition that are in effect now. An unreadable note counts as missing, so the server is asked.
    func activeRefusals(
        in facts: PartitionFacts,
        until deadline: Deadline
    ) throws(StorageError) -> ActiveRefusals {
        let now = clock.now().secondsSince1970
        let remembered = refusals.withLock { $0 }
        var active = ActiveRefusals(remembering: remembered)
        for (tag, entry) in remembered.unwritten(in: facts.partition) where entry.note.isActive(now, among: facts) {
            active.add(
                ActiveRefusal(note: entry.note, origin: .remembered(entry.order), response: entry.note.response),
                under: tag
            )
        }
        guard facts.hasRefusals else { return active }
        let contents = try store.contents(of: facts.partition, until: deadline, reader: facts.reader) {
            !$0.kind.isRefusal
        }
        let stored = try PartitionEntries(contents, codec: codec, where: \.isRefusal)
        for (record, note) in stored.refusals where note.isActive(now, among: contents.records) {
            let own = remembered[record.tag].flatMap { $0.note.period == note.period ? $0.note.response : nil }
            active.add(
                ActiveRefusal(note: note, origin: .written(record.sequence), response: own ?? note.response),
                under: record.tag
            )
        }
        return active
    }

    /// The note about a subject in a partition, if it is in effect now.
    func refusal(
        _ key: RefusalKey,
        in partition: PartitionTag,
        _ active: ActiveRefusals
    ) throws(StorageError) -> ActiveRefusal? {
        if active.byTag.isEmpty { return nil }
        let tag = try codec.refusalTag(key, partition: partition)
        return active.byTag[tag]
    }

    /// Records that a request was refused.
    func keepRefusal(
        of key: RefusalKey,
        _ kind: RefusalNote.Kind,
        _ response: TokenErrorResponse,
        in partition: PartitionTag,
        until deadline: Deadline? = nil
    ) {
        let period = RefusalPeriod.ofUser(from: clock.now().secondsSince1970)
        let note = RefusalNote(kind, client: foldedClient, period: period, response: response)
        keep(note, about: key, in: partition, until: deadline)
    }

    /// Records a refusal for all processes of the group. If the note cannot be written, only this process remembers it.
    func keep(
        _ note: RefusalNote,
        about key: RefusalKey,
        in partition: PartitionTag,
        until deadline: Deadline? = nil
    ) {
        guard let tag = try? codec.refusalTag(key, partition: partition) else { return }
        refusals.withLock { $0.keep(note, tag, in: partition) }
        do throws(StorageError) {
            let isStored = try change(until: deadline ?? newDeadline()) { (transaction) throws(StorageError) in
                let now = clock.now().secondsSince1970
                return try transaction.keep(note, under: tag, in: partition, at: now)
            }
            if isStored { refusals.withLock { $0.markStored(tag) } }
        } catch {
            // The caller's answer does not depend on the note.
        }
    }

    /// Records that a server asked for time when a refresh token was redeemed, if it did. Only the same request of the
    /// same account waits.
    ///
    /// - Returns: until when, in seconds since 1970; nil if the request may be repeated at once.
    func keepTrouble(_ response: TokenErrorResponse?, of token: RefreshToken) -> Int64? {
        let asked = token.asked
        return keepTrouble(response, about: .trouble(asked), of: asked.server, in: token.answer.facts.partition)
    }

    /// The same for a token of the application itself. All its requests to the server wait.
    func keepTrouble(_ response: TokenErrorResponse?, of server: TokenServer) -> Int64? {
        keepTrouble(response, about: .server(server, client: foldedClient), of: server, in: groupPartition)
    }

    private func keepTrouble(
        _ response: TokenErrorResponse?,
        about key: RefusalKey,
        of server: TokenServer,
        in partition: PartitionTag
    ) -> Int64? {
        guard let response, response.isOfServerInTrouble else { return nil }
        let now = clock.now().secondsSince1970
        let period = RefusalPeriod.ofServer(
            from: now,
            retryAfter: response.retryAfter?.secondsRoundedUp,
            isBusy: response.status == 429,
            last: try? lastTrouble(key, in: partition)
        )
        guard period.contains(now) else { return nil }
        let note = RefusalNote(.server, client: foldedClient, period: period, response: response, host: server.host)
        keep(note, about: key, in: partition)
        return period.until
    }

    /// The period of the last note about a server in trouble, in effect or not.
    private func lastTrouble(_ key: RefusalKey, in partition: PartitionTag) throws(StorageError) -> RefusalPeriod? {
        let tag = try codec.refusalTag(key, partition: partition)
        // A note that was stored and is gone no longer counts: perhaps another process removed it.
        if let entry = refusals.withLock({ $0[tag] }), !entry.isStored { return entry.note.period }
        let contents = try store.contents(of: partition, until: newDeadline())
        let stored = try PartitionEntries(contents, codec: codec, where: \.isRefusal)
        return stored.refusals.first { $0.record.tag == tag }?.note.period
    }

    /// The response of a server that asked for time, with the seconds that are left; nil if the server may be asked.
    func trouble(
        _ key: RefusalKey,
        in partition: PartitionTag,
        _ active: ActiveRefusals
    ) throws(StorageError) -> TokenErrorResponse? {
        guard let found = try refusal(key, in: partition, active) else { return nil }
        var response = found.response
        response.retryAfter = .seconds(max(0, found.note.period.until - clock.now().secondsSince1970))
        return response
    }

    /// The same for a token of the application itself.
    func trouble(of server: TokenServer, until deadline: Deadline) throws(StorageError) -> TokenErrorResponse? {
        let freshness = try freshen(ClockReading.now(clock), until: deadline)
        let active = try activeRefusals(in: try facts(of: groupPartition, freshness), until: deadline)
        return try trouble(.server(server, client: foldedClient), in: groupPartition, active)
    }
}

extension TokenErrorResponse {
    /// Whether the server temporarily did not process the request.
    var isOfServerInTrouble: Bool {
        let status = status ?? 0
        return status == 429 || (500...599).contains(status)
            || RefusalMeaning(error: UTF8Text(error), suberror: nil, issuer: .other) == .serverTrouble
    }
}

extension RefusalNote {
    fileprivate func isActive(_ now: Int64, among facts: PartitionFacts) -> Bool {
        var records: [StoredRecord] = []
        let rows = facts.rows
        for index in rows.indices {
            let row = rows[index]
            records.append(
                StoredRecord(tag: row.tag, kind: row.kind, sequence: row.sequence, facts: .none, secret: row.secret)
            )
        }
        return isActive(now, among: records)
    }
}

extension Transaction {
    /// Writes a note of a refusal, and removes the notes of its partition that have ended.
    ///
    /// - Returns: false if the note is too long; then nothing is written.
    mutating func keep(
        _ note: RefusalNote,
        under tag: RecordTag,
        in partition: PartitionTag,
        at now: Int64
    ) throws(StorageError) -> Bool {
        guard let content = note.placed(tag, in: partition).encoded() else { return false }
        let stored = try entries(of: partition, where: \.isRefusal)
        try removeRefusals(stored, in: partition, at: now, makingRoomFor: tag)
        try put(content, kind: .refusal, tag: tag, in: partition)
        return true
    }

    /// Removes the notes of a partition that have ended, and as many others as necessary to write one under a tag.
    private mutating func removeRefusals(
        _ stored: PartitionEntries,
        in partition: PartitionTag,
        at now: Int64,
        makingRoomFor tag: RecordTag
    ) throws(StorageError) {
        var left = stored.refusals
        for (record, note) in left where record.tag != tag && note.isOver(now, among: stored.records) {
            try remove(record.tag, in: partition, erasingSecret: false)
        }
        left.removeAll { $0.record.tag == tag || $0.note.isOver(now, among: stored.records) }
        let unreadable = stored.records.count(where: \.kind.isRefusal) - stored.refusals.count
        // Notes that are not in effect go first, then the oldest.
        func rank(_ entry: (record: StoredRecord, note: RefusalNote)) -> (Int, UInt64) {
            (entry.note.isActive(now, among: stored.records) ? 1 : 0, entry.record.sequence)
        }
        left.sort { rank($0) < rank($1) }
        for record in left.map(\.record).surplus(beside: unreadable, limit: RefusalNote.limit) {
            try remove(record.tag, in: partition, erasingSecret: false)
        }
    }

    /// Removes the notes of a partition that have ended or were answered.
    package mutating func removeRefusals(
        _ stored: PartitionEntries,
        in partition: PartitionTag,
        at now: Int64,
        _ answered: AnsweredRefusals
    ) throws(StorageError) {
        for (record, note) in stored.refusals
        where note.isOver(now, among: stored.records) || answered.contains(note, under: record.tag, in: partition) {
            try remove(record.tag, in: partition, erasingSecret: false)
        }
    }
}
