// SPDX-License-Identifier: Apache-2.0

import Foundation
import Sealing
import Testing

@Suite("Group UUID")
struct GroupUUIDTests {
    @Test("is a random one of version 4")
    func version() throws {
        let uuids = (0..<200).map { _ in GroupUUID() }
        #expect(Set(uuids).count == 200)
        for uuid in uuids {
            #expect(uuid.bytes[6] >> 4 == 4)
            #expect(uuid.bytes[8] >> 6 == 2)
        }
    }

    @Test("has the text that others give it")
    func text() throws {
        for _ in 0..<200 {
            let reference = UUID()
            let bytes = unsafe withUnsafeBytes(of: reference.uuid) { unsafe Array($0) }
            let uuid = try #require(GroupUUID(bytes: bytes))
            #expect(uuid.description == reference.uuidString.lowercased())
            #expect(uuid.bytes == bytes)
            #expect(GroupUUID(uuid.description) == uuid)
            #expect(GroupUUID(reference.uuidString) == uuid)
        }
    }

    @Test(
        "is not read from other text",
        arguments: [
            "", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
            "00112233445566778899aabbccddeeff", "0011223-34455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899-aabbccddeefg", "{0112233-4455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899-aabbccddee\u{FF11}",
        ]
    )
    func otherText(text: String) {
        #expect(GroupUUID(text) == nil)
    }

    @Test("has sixteen bytes", arguments: [0, 15, 17])
    func length(count: Int) {
        #expect(GroupUUID(bytes: [UInt8](repeating: 0, count: count)) == nil)
    }
}
