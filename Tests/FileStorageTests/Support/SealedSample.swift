// SPDX-License-Identifier: Apache-2.0

import FileStorage
import RecordStorage
import Sealing

/// Records with boxes that really are sealed, so that a test sees what an engine would see.
struct SealedSample {
    let sealer: RecordSealer

    init(_ group: ScratchGroup) throws {
        sealer = try RecordSealer(keys: group.keys)
    }

    /// What the boxes of a record say inside.
    static func text(_ number: UInt64, _ version: UInt64, _ role: BoxRole) -> [UInt8] {
        Array("record \(number) version \(version) \(role == .facts ? "facts" : "secret")".utf8)
    }

    func record(_ number: UInt64, in partition: UInt64, version: UInt64, sequence: UInt64) throws -> NewRecord {
        let tag = Boxes.tag(number)
        func seal(_ role: BoxRole) throws -> [UInt8] {
            let text = Self.text(number, version, role)
            return try sealer.seal(
                text.rawBytes,
                role: role,
                tag: (tag.first, tag.second),
                kind: 1,
                sequence: sequence
            )
        }
        return NewRecord(
            tag: tag,
            partition: Boxes.partition(partition),
            kind: RecordKind(rawValue: 1),
            facts: try seal(.facts),
            secret: try seal(.secret),
            searchTags: [SearchTag(rawValue: number)]
        )
    }

    /// Writes one version of a record as one transaction.
    func write(_ store: FileStore, _ number: UInt64, in partition: UInt64, version: UInt64) throws {
        let sequence = try store.write() + 1
        try store.write([record(number, in: partition, version: version, sequence: sequence)])
    }

    /// What the store says about a record; throws what an engine would throw.
    func read(_ store: FileStore, _ number: UInt64, in partition: UInt64) throws -> (facts: [UInt8], secret: [UInt8])? {
        let contents = try store.contents(of: Boxes.partition(partition))
        guard let index = contents.records.firstIndex(where: { $0.tag == Boxes.tag(number) }) else { return nil }
        let record = contents.records[index]
        let tag = (record.tag.first, record.tag.second)
        guard let box = contents.facts[index] else { throw StorageError(.damaged) }
        let kind = record.kind.rawValue
        let facts = try sealer.openFacts(box.rawBytes, tag: tag, kind: kind, sequence: record.sequence)
        let sealed = try contents.reader.withBox(at: record.secret) { box throws(StorageError) in box.copied }
        let secret = try sealer.openSecret(sealed.rawBytes, tag: tag, kind: kind, sequence: record.sequence)
        return (facts, secret.bytes.copied)
    }
}

extension [UInt8] {
    /// The bytes as a span to be read.
    var rawBytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { unsafe span.bytes }
    }
}

extension RawSpan {
    /// A copy.
    var copied: [UInt8] {
        (0..<byteCount).map { unsafe unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}
