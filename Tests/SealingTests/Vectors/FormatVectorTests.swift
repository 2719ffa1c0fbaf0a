// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

/// The files that say how our formats look. Whoever changes one on purpose writes them anew with `UPDATE_VECTORS=1`.
@Suite("Vectors of our formats", .serialized)
struct FormatVectorTests {
    @Test("boxes of records are written as ever")
    func writingRecords() throws {
        try compare(RecordVectors.make(), with: RecordVectors.fileName)
    }

    @Test("tags are as ever")
    func writingTags() throws {
        try compare(TagVectors.make(), with: TagVectors.fileName)
    }

    @Test("key slots are written as ever")
    func writingKeySlots() throws {
        try compare(KeySlotVectors.make(), with: KeySlotVectors.fileName)
    }

    @Test("boxes of records open")
    func openingRecords() throws {
        let vectors: RecordVectors = try VectorFiles.load(RecordVectors.fileName)
        let sealer = try sealer(for: vectors)
        for vector in vectors.boxes {
            let opened = try open(vector.box, vector.role, vector.tag, vector.kind, vector.sequence, with: sealer)
            #expect(opened.hex == vector.plaintext, "\(vector.name)")
        }
    }

    @Test("boxes of records that must not open do not")
    func refusingRecords() throws {
        let vectors: RecordVectors = try VectorFiles.load(RecordVectors.fileName)
        let sealer = try sealer(for: vectors)
        for vector in vectors.refusals {
            let error = #expect(throws: SealingError.self, "\(vector.name)") {
                try open(vector.box, vector.role, vector.tag, vector.kind, vector.sequence, with: sealer)
            }
            #expect(error?.code.rawValue == vector.error, "\(vector.name)")
        }
    }

    @Test("key slots open by every secret")
    func openingKeySlots() throws {
        let vectors: KeySlotVectors = try VectorFiles.load(KeySlotVectors.fileName)
        for vector in vectors.blocks {
            let slots = try KeySlots(encoded: [UInt8](hex: vector.block))
            let expected = GroupKeys(
                uuid: try #require(GroupUUID(vector.group)),
                epoch: vector.epoch,
                rootKey: try SealingKey(secret([UInt8](hex: vector.rootKey))),
                tagKey: try SealingKey(secret([UInt8](hex: vector.tagKey)))
            )
            for (slot, secret) in zip(slots.slots, vector.secrets) {
                #expect(try slots.unlock(with: secret.slotSecret()).isEqual(to: expected), "\(vector.name)")
                #expect(try slots.unlock(slot: slot.id, with: secret.slotSecret()).isEqual(to: expected))
            }
        }
    }

    @Test("key slots that must not open do not")
    func refusingKeySlots() throws {
        let vectors: KeySlotVectors = try VectorFiles.load(KeySlotVectors.fileName)
        for vector in vectors.refusals {
            let error = #expect(throws: SealingError.self, "\(vector.name)") {
                try KeySlots(encoded: [UInt8](hex: vector.block)).unlock(with: vector.secret.slotSecret())
            }
            #expect(error?.code.rawValue == vector.error, "\(vector.name)")
        }
    }

    private func compare<Content: Codable & Equatable>(_ made: Content, with name: String) throws {
        if VectorFiles.areToBeWritten { try VectorFiles.save(made, as: name) }
        let written: Content = try VectorFiles.load(name)
        #expect(made == written, "\(name) differs: a format changed")
    }

    private func sealer(for vectors: RecordVectors) throws -> RecordSealer {
        let keys = GroupKeys(
            uuid: try #require(GroupUUID(vectors.group)),
            epoch: vectors.epoch,
            rootKey: try SealingKey(secret([UInt8](hex: vectors.rootKey))),
            tagKey: try key(0)
        )
        return try RecordSealer(keys: keys)
    }

    private func open(
        _ box: String,
        _ role: String,
        _ tag: String,
        _ kind: UInt8,
        _ sequence: UInt64,
        with sealer: RecordSealer
    ) throws -> [UInt8] {
        let bytes = [UInt8](hex: tag)
        let tag = (number(bytes[..<8]), number(bytes[8...]))
        return try withSpan([UInt8](hex: box)) { box in
            if role == "facts" { return try sealer.openFacts(box, tag: tag, kind: kind, sequence: sequence) }
            let secret = try sealer.openSecret(box, tag: tag, kind: kind, sequence: sequence)
            return secret.copied
        }
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
