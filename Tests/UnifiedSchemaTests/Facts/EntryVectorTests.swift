// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Testing

@testable import UnifiedSchema

@Suite("The published form of entries")
struct EntryVectorTests {
    /// One entry of the data file.
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let section: String
        let key: String?
        let json: String
        let kind: UInt8
        /// Hexadecimal.
        let facts: String
        let payload: String

        var testDescription: String { name }
    }

    private struct File: Decodable {
        let entries: [Vector]
    }

    static func load() throws -> [Vector] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.deletingLastPathComponent().appending(path: "Vectors/Entries/entries.json")
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).entries
    }

    @Test("entries are encoded as they were published", arguments: try load())
    func encoding(_ vector: Vector) throws {
        let result = try parse(vector.json, section: UTF8Text(vector.section), key: vector.key.map { UTF8Text($0) })
        #expect(result.facts.storedKindNumber == vector.kind)
        #expect(hex(result.facts.encoded()) == vector.facts)
        let secrets = payload(result.secrets, of: vector.json.rawSpan)
        #expect(hex(result.secrets.isEmpty ? [] : secrets) == vector.payload)
    }

    @Test("published vectors decode in every later version", arguments: try load())
    func decoding(_ vector: Vector) throws {
        let facts = try EntryFacts(decoding: bytes(vector.facts))
        #expect(facts.sectionName.string == vector.section)
        #expect(facts.key?.string == vector.key)
        let payload = bytes(vector.payload)
        #expect(facts.secretCount == (payload.isEmpty ? 0 : try SecretPayload.values(in: payload.rawSpan).count))
        let document = try write([(facts, payload)])
        let again = try ReadDocument(HeapWindow(document)).entries
        // Older versions kept empty sections of a cache as entries without a key.
        if facts.section != nil, vector.json == "{}" { return #expect(again.isEmpty) }
        #expect(again.map { $0.facts } == [facts])
        #expect(again.map { $0.payload } == [payload.isEmpty ? [1, 0, 255, 0] : payload])
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
