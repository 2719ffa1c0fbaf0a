// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import RecordStorage
import Sealing

/// A journal as bytes, taken apart and put together as the format document says, without the code under test.
struct JournalBytes {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func uint16(at offset: Int) -> UInt16 { UInt16(number(offset, 2)) }
    func uint32(at offset: Int) -> UInt32 { UInt32(number(offset, 4)) }
    func uint64(at offset: Int) -> UInt64 { number(offset, 8) }

    private func number(_ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func put(_ value: UInt64, _ count: Int, at offset: Int) {
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }

    var framesOffset: Int { Int(uint64(at: 88)) }

    /// Where the frames stand.
    var frames: [Range<Int>] {
        var found: [Range<Int>] = []
        var offset = framesOffset
        while offset + 48 <= bytes.count {
            let count = Int(uint64(at: offset + 8))
            found.append(offset..<offset + count)
            offset += count
        }
        return found
    }

    /// Where a journal has only zeros: between the header and the secret boxes, and between the index and the copy of the
    /// header.
    var holes: [Range<Int>] { [4096..<16_384, Int(uint64(at: 72) + uint64(at: 80))..<framesOffset - 4096] }

    /// The end of the last frame, as far as the lengths in their leads lead; `nil` for a file that is no journal.
    var framesEnd: Int? {
        guard bytes.count >= 4096, bytes[..<4].elementsEqual([0x89, 0x53, 0x54, 0x43]) else { return nil }
        var offset = framesOffset
        guard offset <= bytes.count else { return nil }
        while offset + 48 <= bytes.count, bytes[offset..<offset + 4].elementsEqual("STCF".utf8) {
            let count = uint64(at: offset + 8)
            guard count >= 48, count <= UInt64(bytes.count - offset) else { break }
            offset += Int(count)
        }
        return offset
    }

    /// The journal with these frames behind its snapshot.
    func withFrames(_ frames: [[UInt8]]) -> [UInt8] {
        Array(bytes[..<framesOffset]) + frames.flatMap(\.self)
    }

    /// Writes optional fields into the header and its copy, and hashes both anew.
    mutating func setFields(_ fields: [(type: UInt16, value: [UInt8])], minor: UInt16, keys: GroupKeys) throws {
        put(UInt64(minor), 2, at: 10)
        let slots = Int(uint32(at: 52))
        var encoded: [UInt8] = []
        for field in fields {
            encoded += [UInt8(field.type & 255), UInt8(field.type >> 8)]
            encoded += [UInt8(field.value.count & 255), UInt8(field.value.count >> 8)]
            encoded += field.value
        }
        put(UInt64(encoded.count), 4, at: 104)
        bytes.replaceSubrange(128 + slots..<128 + slots + encoded.count, with: encoded)
        try rehash(keys)
    }

    /// Appends a frame with this head, and boxes behind it, as the format document says.
    mutating func appendFrame(
        sequence: UInt64,
        head: [UInt8],
        facts: [UInt8] = [],
        secrets: [UInt8] = [],
        keys: GroupKeys
    ) throws {
        // Version 1 has no trailers.
        let trailerByteCount = uint16(at: 8) == 1 ? 0 : 48
        let secretsOffset = 48 + head.count + 40 + facts.count
        let size = (secretsOffset + secrets.count + 7) / 8 * 8 + trailerByteCount
        let identity = Array(bytes[32..<52])
        func edge(_ magic: String) throws -> [UInt8] {
            var edge = Array(magic.utf8)
            edge.append(littleEndian: UInt32(head.count + 40))
            edge.append(littleEndian: UInt64(size))
            edge.append(littleEndian: sequence)
            edge.append(littleEndian: UInt64(secretsOffset))
            let message = identity + edge
            let hash = try KeyedHash.hash128(message.rawBytes, key: keys.subkey(.frameLead))
            edge.append(littleEndian: hash.0)
            edge.append(littleEndian: hash.1)
            return edge
        }
        let lead = try edge("STCF")
        var data = Array("stc.fram".utf8) + identity + [0, 0, 0, 0]
        data.append(littleEndian: sequence)
        data.append(littleEndian: UInt64(size))
        data.append(littleEndian: UInt32(0))
        data.append(littleEndian: UInt32(1))
        let sealed = try AEAD.seal(head.rawBytes, key: keys.subkey(.frame), authenticating: data.rawBytes)
        bytes += lead + sealed + facts + secrets
        bytes += [UInt8](repeating: 0, count: size - secretsOffset - secrets.count - trailerByteCount)
        if trailerByteCount > 0 { bytes += try edge("STCT") }
    }

    /// The mark that a writer leaves behind an acknowledged transaction.
    func mark(_ sequence: UInt64, keys: GroupKeys) throws -> [UInt8] {
        var message = Array(bytes[32..<52]) + Array("STCMARK\0".utf8)
        message.append(littleEndian: sequence)
        let hash = try KeyedHash.hash128(message.rawBytes, key: keys.subkey(.frameLead))
        var mark: [UInt8] = []
        mark.append(littleEndian: hash.0)
        mark.append(littleEndian: hash.1)
        return mark
    }

    /// Opens the index of the snapshot, changes it, and seals it anew.
    mutating func resealIndex(_ keys: GroupKeys, _ body: (inout JournalBytes) -> Void) throws {
        let location = Int(uint64(at: 72))..<Int(uint64(at: 72) + uint64(at: 80))
        var data = Array("stc.indx".utf8) + bytes[32..<52] + [0, 0, 0, 0]
        data.append(littleEndian: uint64(at: 72))
        data.append(littleEndian: uint64(at: 80))
        data.append(littleEndian: UInt32(0))
        data.append(littleEndian: UInt32(1))
        let key = try keys.subkey(.storeIndex)
        let sealed = Array(bytes[location])
        var index = JournalBytes(try AEAD.openPublic(sealed.rawBytes, key: key, authenticating: data.rawBytes))
        body(&index)
        bytes.replaceSubrange(
            location,
            with: try AEAD.seal(index.bytes.rawBytes, key: key, authenticating: data.rawBytes)
        )
    }

    /// The head of a transaction with these operations.
    static func head(_ operations: [[UInt8]], fixedByteCount: Int = 32) -> [UInt8] {
        var head: [UInt8] = []
        head.append(littleEndian: UInt16(fixedByteCount))
        head.append(littleEndian: UInt16(0))
        head.append(littleEndian: UInt32(operations.count))
        head += [UInt8](repeating: 0, count: fixedByteCount - 8)
        return head + operations.flatMap(\.self)
    }

    /// A put, as it stands in a head.
    static func put(_ record: NewRecord, keys: GroupKeys) throws -> [UInt8] {
        var put: [UInt8] = [1, record.kind.rawValue, UInt8(record.searchTags.count), 0]
        put.append(littleEndian: UInt32(record.facts.count))
        put.append(littleEndian: UInt32(record.secret.count))
        put.append(littleEndian: UInt32(0))
        for word in [record.tag.first, record.tag.second, record.partition.first, record.partition.second] {
            put.append(littleEndian: word)
        }
        for box in [record.facts, record.secret] {
            let hash = try KeyedHash.hash128(box.rawBytes, key: keys.subkey(.frameBoxes))
            put.append(littleEndian: box.isEmpty ? 0 : hash.0)
            put.append(littleEndian: box.isEmpty ? 0 : hash.1)
        }
        for tag in record.searchTags { put.append(littleEndian: tag.rawValue) }
        return put
    }

    /// Sets the hash of the header and copies the header before the frames.
    mutating func rehash(_ keys: GroupKeys) throws {
        let message = Array(bytes[..<4064])
        let hash = try KeyedHash.hash256(message.rawBytes, key: keys.subkey(.header)).bytes
        bytes.replaceSubrange(4064..<4096, with: hash)
        bytes.replaceSubrange(framesOffset - 4096..<framesOffset, with: bytes[..<4096])
    }
}

extension [UInt8] {
    mutating func append<Number: FixedWidthInteger>(number: Number) {
        for index in 0..<Number.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> Number(8 * index))) }
    }
}
