// SPDX-License-Identifier: Apache-2.0

import GroupRecords
import Testing

@Suite("The facts of internal records")
struct InternalRecordFactsTests {
    @Test("numbers of kinds and fields never change")
    func stableNumbers() {
        #expect(InternalRecordKind.allCases.map(\.rawValue) == Array(128...137))
        #expect(InternalRecordFacts.Field.allCases.map(\.rawValue) == Array(1...23) + Array(32...40))
    }

    @Test("fields of a later version are preserved")
    func unknownFields() throws {
        // Field 200, one byte long.
        let bytes = [InternalRecordFacts.version, 200, 1, 7]
        var facts = try InternalRecordFacts(decoding: bytes)
        facts[bytes: .value] = [1]
        #expect(facts.encoded() == [InternalRecordFacts.version, 3, 1, 1, 200, 1, 7])
        facts[bytes: .value] = nil
        #expect(facts.encoded() == bytes)
    }
}
