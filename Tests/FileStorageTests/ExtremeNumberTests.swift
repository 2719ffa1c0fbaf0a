// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import FileStorage
import GroupDirectory
import RecordStorage
import Sealing
import Testing

@Suite("Numbers that no writer writes, under the right keys")
struct ExtremeNumberTests {
    let group: ScratchGroup
    let journal: JournalBytes

    init() throws {
        group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 2)])
        try store.compact(until: .standard)
        store.close()
        journal = JournalBytes(try group.bytes())
        try group.forgetPage()
    }

    private static let numbers: [UInt64] = [1 << 62, .max >> 1, 1 << 63, .max - 1, .max]

    @Test("in the header are damage", arguments: [56, 96], numbers)
    func header(offset: Int, number: UInt64) throws {
        var changed = journal
        changed.put(number, 8, at: offset)
        try changed.rehash(group.keys)
        try group.overwrite(changed.bytes)
        #expect(code { try group.open() } == .damaged)
        #expect(try group.wholeFile() == changed.bytes)
    }

    @Test("in the places of the header are damage, whatever they are", arguments: [64, 72, 80, 88], [0, 7] + numbers)
    func locations(offset: Int, number: UInt64) throws {
        var changed = journal
        changed.put(number, 8, at: offset)
        let message = Array(changed.bytes[..<4064])
        let hash = try KeyedHash.hash256(message.rawBytes, key: group.keys.subkey(.header)).bytes
        changed.bytes.replaceSubrange(4064..<4096, with: hash)
        try group.overwrite(changed.bytes)
        #expect(code { try group.open() } == .damaged)
    }

    @Test("in the head of a transaction make it one that does not count", arguments: numbers)
    func head(number: UInt64) throws {
        var head = JournalBytes.head([])
        var bytes = JournalBytes(head)
        bytes.put(number, 8, at: 16)
        head = bytes.bytes
        try expectTorn(head)
    }

    @Test("in a place to be overwritten make it one that does not count", arguments: numbers)
    func location(number: UInt64) throws {
        var remove: [UInt8] = [2, 1, 1, 0, 0, 0, 0, 0]
        for word in [Boxes.tag(1).first, Boxes.tag(1).second, Boxes.partition(1).first, Boxes.partition(1).second] {
            remove.append(littleEndian: word)
        }
        remove.append(littleEndian: number)
        remove.append(littleEndian: UInt64(500))
        try expectTorn(JournalBytes.head([remove]))
    }

    private func expectTorn(_ head: [UInt8]) throws {
        var changed = journal
        try changed.appendFrame(sequence: 2, head: head, keys: group.keys)
        try group.overwrite(changed.bytes)
        let store = try group.open()
        #expect(try store.statistics.frameCount == 0)
        #expect(try store.statistics.tornByteCount > 0)
        #expect(try store.write([Boxes.record(3, in: 3)]) == 2)
        #expect(try group.open().verify().findings.isEmpty)
    }
}
