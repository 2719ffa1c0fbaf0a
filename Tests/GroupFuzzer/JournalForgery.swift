// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Sealing
import SeededRandom

/// Changes what a journal says about itself and seals it anew, as somebody could who has the key. Written from the format
/// document, not from the code under test.
struct JournalForgery {
    private(set) var bytes: [UInt8]
    private let keys: GroupKeys

    /// - Parameters:
    ///   - journal: the bytes of a journal.
    ///   - keyFile: what the key file holds that opens it.
    init?(_ journal: [UInt8], keyFile: [UInt8]) {
        bytes = journal
        guard journal.count >= 4_096 else { return nil }
        let slotsEnd = min(128 + Int(Self.number(journal, 52, 4)), 4_064)
        guard slotsEnd > 128, let slots = try? KeySlots(encoded: Array(journal[128..<slotsEnd])),
            let secret = try? SlotSecret.keyFile(SecretBytes(copying: keyFile.rawBytes)),
            let keys = try? slots.unlock(with: secret)
        else { return nil }
        self.keys = keys
    }

    /// Numbers at which sums overflow, signs turn and counts become sizes.
    static func extreme(_ random: inout SeededGenerator) -> UInt64 {
        random.pick(
            0,
            1,
            7,
            8,
            4_095,
            4_096,
            UInt64(Int32.max),
            UInt64(UInt32.max),
            UInt64(Int64.max),
            UInt64(Int64.max) - 7,
            UInt64.max,
            UInt64.max - 1,
            UInt64.max - 7,
            1 << 40,
            random.next()
        )
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func put(_ value: UInt64, _ count: Int, at offset: Int, in bytes: inout [UInt8]) {
        guard offset + count <= bytes.count else { return }
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }

    /// Forges something; says what.
    mutating func forge(_ random: inout SeededGenerator) -> String {
        switch random.pick("header", "header", "lead", "frame", "frame", "index", "block") {
        case "header": forgeHeader(&random)
        case "lead": forgeLead(&random)
        case "frame": forgeFrameHead(&random)
        case "index": forgeIndex(&random)
        default: forgeBlock(&random)
        }
    }

    // MARK: - Header

    private mutating func forgeHeader(_ random: inout SeededGenerator) -> String {
        let fields = [
            (8, 2), (10, 2), (12, 1), (16, 8), (32, 8), (48, 4), (52, 4), (56, 8), (64, 8), (72, 8), (80, 8), (88, 8),
            (96, 8), (104, 4), (128, 8), (136, 4), (160, 2), (192, 4),
        ]
        let (offset, count) = random.pick(fields)
        // Near what is there as well as far from it.
        let there = Self.number(bytes, offset, count)
        let value = random.once(in: 3) ? there &+ random.pick(1, 8, 4_096, .max) : Self.extreme(&random)
        Self.put(value, count, at: offset, in: &bytes)
        if let hash = try? KeyedHash.hash256(bytes.rawBytes.extracting(0..<4_064), key: keys.subkey(.header)) {
            bytes.replaceSubrange(4_064..<4_096, with: hash.bytes)
        }
        return "header \(offset) = \(value), hashed anew"
    }

    // MARK: - Frames

    private var framesOffset: Int { Int(min(Self.number(bytes, 88, 8), UInt64(bytes.count))) }

    /// Where frames stand, as far as their lengths lead.
    private var frames: [Int] {
        var (found, offset): ([Int], Int) = ([], framesOffset)
        while offset + 48 <= bytes.count, bytes[offset..<offset + 4].elementsEqual("STCF".utf8) {
            found.append(offset)
            let length = Self.number(bytes, offset + 8, 8)
            guard length >= 48, length <= UInt64(bytes.count - offset) else { break }
            offset += Int(length)
        }
        return found
    }

    private mutating func sealLead(at offset: Int) {
        let message = Array(bytes[32..<52] + bytes[offset..<offset + 32])
        guard let hash = try? KeyedHash.hash128(message.rawBytes, key: keys.subkey(.frameLead)) else { return }
        Self.put(hash.0, 8, at: offset + 32, in: &bytes)
        Self.put(hash.1, 8, at: offset + 40, in: &bytes)
    }

    private mutating func forgeLead(_ random: inout SeededGenerator) -> String {
        guard let frame = frames.randomElement(using: &random) else { return forgeHeader(&random) }
        let (offset, count) = random.pick((4, 4), (8, 8), (16, 8), (24, 8))
        let there = Self.number(bytes, frame + offset, count)
        let value = random.once(in: 3) ? there &+ random.pick(1, 8, .max, .max - 7) : Self.extreme(&random)
        Self.put(value, count, at: frame + offset, in: &bytes)
        sealLead(at: frame)
        return "lead of frame at \(frame): \(offset) = \(value), hashed anew"
    }

    private mutating func forgeFrameHead(_ random: inout SeededGenerator) -> String {
        guard let frame = frames.randomElement(using: &random), let key = try? keys.subkey(.frame) else {
            return forgeHeader(&random)
        }
        let box = Box(
            label: "stc.fram",
            range: frame + 48..<frame + 48 + Int(Self.number(bytes, frame + 4, 4)),
            location: Self.number(bytes, frame + 16, 8),
            size: Self.number(bytes, frame + 8, 8)
        )
        let what = reseal(box, key, &random)
        return "head of frame at \(frame): \(what)"
    }

    // MARK: - Snapshot

    private var index: Box? {
        let (offset, count) = (Self.number(bytes, 72, 8), Self.number(bytes, 80, 8))
        guard offset <= UInt64(bytes.count), count <= UInt64(bytes.count) - offset else { return nil }
        return Box(label: "stc.indx", range: Int(offset)..<Int(offset + count), location: offset, size: count)
    }

    private mutating func forgeIndex(_ random: inout SeededGenerator) -> String {
        guard let box = index, let key = try? keys.subkey(.storeIndex) else { return forgeHeader(&random) }
        return "index: " + reseal(box, key, &random)
    }

    private mutating func forgeBlock(_ random: inout SeededGenerator) -> String {
        guard let box = index, let key = try? keys.subkey(.storeIndex), let rows = open(box, key), rows.count >= 48
        else {
            return forgeHeader(&random)
        }
        let row = 16 + 32 * Int.random(in: 0..<max(Int(Self.number(rows, 0, 4)), 1), using: &random)
        guard row + 32 <= rows.count else { return forgeHeader(&random) }
        let offset = Int(truncatingIfNeeded: Self.number(rows, row + 16, 8))
        guard offset >= 0, offset <= bytes.count - 16 else { return forgeHeader(&random) }
        if random.once(in: 4) {
            let value = Self.extreme(&random)
            let field = random.pick(4, 8)
            Self.put(value, 4, at: offset + field, in: &bytes)
            return "lead of block at \(offset): \(field) = \(value)"
        }
        let block = Box(
            label: "stc.blck",
            range: offset + 16..<offset + 16 + Int(Self.number(bytes, offset + 4, 4)),
            location: UInt64(offset),
            size: Self.number(bytes, offset + 8, 4)
        )
        return "head of block at \(offset): " + reseal(block, key, &random)
    }

    // MARK: - Boxes

    private struct Box {
        let label: String
        let range: Range<Int>
        let location: UInt64
        let size: UInt64
    }

    private func associatedData(_ box: Box) -> [UInt8] {
        var data = Array(box.label.utf8) + bytes[32..<52] + [0, 0, 0, 0]
        data += [UInt8](repeating: 0, count: 24)
        Self.put(box.location, 8, at: 32, in: &data)
        Self.put(box.size, 8, at: 40, in: &data)
        Self.put(1, 4, at: 52, in: &data)
        return data
    }

    private func open(_ box: Box, _ key: borrowing SealingKey) -> [UInt8]? {
        guard box.range.upperBound <= bytes.count else { return nil }
        let sealed = Array(bytes[box.range])
        return try? AEAD.openPublic(sealed.rawBytes, key: key, authenticating: associatedData(box).rawBytes)
    }

    /// Puts a number somewhere into what is sealed, and seals it again.
    private mutating func reseal(_ box: Box, _ key: borrowing SealingKey, _ random: inout SeededGenerator) -> String {
        guard var plain = open(box, key), !plain.isEmpty else { return forgeHeader(&random) }
        var words: [String] = []
        for _ in 0..<random.pick(1, 1, 2) {
            let width = random.pick(1, 2, 4, 4, 8)
            // Counts stand at the beginning.
            let range = random.once(in: 2) ? 0..<min(plain.count, 48) : 0..<plain.count
            let offset = Int.random(in: range, using: &random) / width * width
            let value = Self.extreme(&random)
            Self.put(value, width, at: offset, in: &plain)
            words.append("\(offset) = \(value) (\(width) bytes)")
        }
        guard let sealed = try? AEAD.seal(plain.rawBytes, key: key, authenticating: associatedData(box).rawBytes)
        else { return "not sealed" }
        bytes.replaceSubrange(box.range, with: sealed)
        return words.joined(separator: ", ") + ", sealed anew"
    }
}

extension [UInt8] {
    /// The bytes as a span to be read.
    var rawBytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { unsafe span.bytes }
    }
}
