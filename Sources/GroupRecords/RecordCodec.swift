// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing
package import UnifiedSchema

/// Encodes entries as sealed records, and decodes them.
///
/// The caller puts the secrets of an entry into a `SecretPayload` in secret memory; the codec seals those bytes
/// separately from the facts and never reads them. It throws storage errors, because most of it runs inside a store's
/// calls. Values are cheap to copy and safe to use from any thread; only ``openSecret(of:reader:)`` does I/O.
package struct RecordCodec: Sendable {
    package let unlockedKeys: UnlockedKeys

    package init(unlockedKeys: UnlockedKeys) {
        self.unlockedKeys = unlockedKeys
    }

    /// The kind of an entry's record.
    package static func kind(_ kind: EntryKind) -> RecordKind {
        RecordKind(rawValue: kind.rawValue)
    }

    // MARK: - Sealing

    /// A sealed record of `facts` for the transaction of `context`.
    ///
    /// - Parameters:
    ///   - facts: the entry without its secrets.
    ///   - secret: the entry's secret payload; empty if it has none.
    ///   - address: the address of the entry, if it is already known.
    ///   - context: the transaction that will write it.
    /// - Returns: the record, which belongs only to that transaction.
    /// - Throws: `tooLarge` for an entry of more than 1 MiB, `keyMissing` if the transaction's epoch is not unlocked,
    ///   `forkedProcess`.
    package func seal(
        _ facts: EntryFacts,
        secret: RawSpan,
        at address: RecordAddress? = nil,
        in context: CommitContext
    ) throws(StorageError) -> NewRecord {
        let address = if let address { address } else { try self.address(of: facts) }
        return try seal(
            facts: facts.encodedBytes,
            secret: secret,
            kind: RecordKind(rawValue: facts.storedKindNumber),
            at: address,
            in: context
        )
    }

    /// A sealed record of any two plaintexts.
    package func seal(
        facts: RawSpan,
        secret: RawSpan,
        kind: RecordKind,
        at address: RecordAddress,
        in context: CommitContext
    ) throws(StorageError) -> NewRecord {
        let sealer = try unlockedKeys.sealer(epoch: context.epoch)
        let tag = (address.tag.first, address.tag.second)
        // Draw the nonces only now that both plaintexts are final.
        var nonces = sealer.drawNonces(secret.isEmpty ? 1 : 2)
        do {
            return NewRecord(
                tag: address.tag,
                partition: address.partition,
                kind: kind,
                facts: try sealer.seal(
                    facts,
                    role: .facts,
                    tag: tag,
                    kind: kind.rawValue,
                    sequence: context.sequence,
                    nonces: &nonces
                ),
                secret: secret.isEmpty
                    ? []
                    : try sealer.seal(
                        secret,
                        role: .secret,
                        tag: tag,
                        kind: kind.rawValue,
                        sequence: context.sequence,
                        nonces: &nonces
                    ),
                searchTags: address.searchTags
            )
        } catch {
            throw StorageError(error)
        }
    }

    // MARK: - Opening

    /// Opens the facts box of a record of any kind.
    ///
    /// - Parameters:
    ///   - box: the sealed facts.
    ///   - record: the store's description of the record.
    ///   - sealer: has the keys of the epoch of the box.
    /// - Returns: the facts as they were sealed.
    /// - Throws: `damaged` if the box does not verify or does not belong to this record, `forkedProcess`.
    package func openFactsBytes(
        _ box: RawSpan,
        of record: StoredRecord,
        with sealer: RecordSealer
    ) throws(StorageError) -> [UInt8] {
        do {
            return try sealer.openFacts(
                box,
                tag: (record.tag.first, record.tag.second),
                kind: record.kind.rawValue,
                sequence: record.sequence
            )
        } catch {
            throw StorageError(error)
        }
    }

    /// Reads and opens the secret payload of a record, into secret memory.
    ///
    /// - Returns: nil if the record has no secret.
    /// - Throws: `tokenGone` if it was removed in the meantime, `damaged` if it does not verify, `forkedProcess`.
    package func openSecret(
        of record: StoredRecord,
        reader: any BoxReader
    ) throws(StorageError) -> SecretBytes? {
        let sealer = try unlockedKeys.sealer(epoch: reader.epoch)
        return try RecordCodec.openSecret(
            at: record.secret,
            tag: record.tag,
            kind: record.kind,
            sequence: record.sequence,
            reader: reader,
            sealer: sealer
        )
    }

    package static func openSecret(
        at location: BoxLocation,
        tag: RecordTag,
        kind: RecordKind,
        sequence: UInt64,
        reader: any BoxReader,
        sealer: RecordSealer
    ) throws(StorageError) -> SecretBytes? {
        guard location.length > 0 else { return nil }
        var secret: SecretBytes?
        try reader.withBox(at: location) { (box) throws(StorageError) in
            secret = try sealing(
                try sealer.openSecret(box, tag: (tag.first, tag.second), kind: kind.rawValue, sequence: sequence)
            )
        }
        return secret
    }
}

extension StoredRecord {
    /// Whether it is a credential without a token: what the library that wrote it stored was missing, blank, or not one
    /// that a token can be.
    ///
    /// Lookups and lists of accounts ignore it; what removes an account's credentials removes it too.
    package var lacksToken: Bool {
        // Most records have a secret, and are done with two comparisons.
        guard secret.length == 0 || EntryKind.mayLackToken(kind.rawValue) else { return false }
        return kind.entryKind?.isCredential == true
    }
}

extension RecordKind {
    /// The kind of the record's entry, with or without a token; nil if the record is internal, or of a newer version.
    package var entryKind: EntryKind? { EntryKind(storedNumber: rawValue) }
}
