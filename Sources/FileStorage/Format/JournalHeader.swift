// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The first page of a journal. A copy precedes the frames. Neither ever changes once the file exists.
struct JournalHeader {
    private(set) var major = JournalFormat.major
    var minor = JournalFormat.minor
    var group: GroupUUID
    var journal: JournalID
    var epoch: UInt32
    var baseSequence: UInt64
    /// The offset of the partition blocks, which is the end of the secret boxes.
    var blocksOffset: UInt64
    var indexOffset: UInt64
    var indexByteCount: UInt64
    var framesOffset: UInt64
    /// The number of dead bytes in the snapshot when it was written.
    var deadByteCount: UInt64
    /// The encoded key-slot block.
    var keySlots: [UInt8]
    var fields: [HeaderField]
    /// The keyed hash of all other bytes, as read from the file; empty in a header not read from a file.
    private(set) var hash: [UInt8] = []

    static let magic: UInt64 = 0x1A0A_0D4A_4354_5389
    static let byteCount = JournalFormat.pageByteCount
    private static let slotsOffset = 128
    private static let hashOffset = byteCount - 32

    /// The space for key slots and optional fields.
    static let variableByteCount = hashOffset - slotsOffset

    /// The offset of the header's copy.
    var copyOffset: UInt64 { framesOffset - UInt64(Self.byteCount) }

    /// The length of the trailer of each frame. The first version had none.
    var trailerByteCount: UInt64 { major == JournalFormat.olderMajor ? 0 : UInt64(FrameLead.byteCount) }
    /// The offset of the secret boxes of the snapshot.
    var boxesOffset: UInt64 { major == JournalFormat.olderMajor ? UInt64(Self.byteCount) : JournalFormat.boxesOffset }
    /// Whether the journal must be rewritten before something is appended to it.
    var isOlderVersion: Bool { major != JournalFormat.major }

    /// Whether the header was written for a group of this name; `nil` if it does not say, as in older journals.
    func isNamed(_ name: GroupName, keys: JournalKeys) throws(StorageError) -> Bool? {
        guard let hash = fields.first(where: { $0.type == HeaderField.nameType })?.value else { return nil }
        let expected = try keys.hash(of: name)
        return SecretMemory.isEqual(hash.rawSpan, expected.rawSpan)
    }

    /// Binds the header to the name of the group.
    mutating func bind(to name: GroupName, keys: JournalKeys) throws(StorageError) {
        let hash = try keys.hash(of: name)
        fields.removeAll { $0.type == HeaderField.nameType }
        fields.append(HeaderField(type: HeaderField.nameType, value: hash))
    }

    /// The header of a new group, before its offsets are set.
    init(group: GroupUUID, epoch: UInt32, keySlots: [UInt8]) {
        self.group = group
        self.epoch = epoch
        self.keySlots = keySlots
        journal = JournalID(first: 0, second: 0)
        baseSequence = 0
        blocksOffset = 0
        indexOffset = 0
        indexByteCount = 0
        framesOffset = 0
        deadByteCount = 0
        fields = []
    }

    /// The header of a journal that replaces this one, before its offsets are set.
    func next(sequence: UInt64) -> JournalHeader {
        var header = self
        header.baseSequence = sequence
        // Minor versions count within a major one.
        header.minor = isOlderVersion ? JournalFormat.minor : max(minor, JournalFormat.minor)
        header.major = JournalFormat.major
        return header
    }

    /// The key-slot block, decoded.
    func decodedKeySlots() throws(StorageError) -> KeySlots {
        try sealing(damage: "the key slots in the header are malformed", try KeySlots(encoded: keySlots))
    }

    /// - Throws: ``StorageError/Code/tooLarge`` if key slots and optional fields do not fit.
    func encoded(keys: JournalKeys) throws(StorageError) -> [UInt8] {
        let extra = HeaderField.encode(fields)
        guard keySlots.count + extra.count <= Self.variableByteCount else {
            throw StorageError(.tooLarge, detail: "the key slots do not fit into the header")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: major)
        bytes.append(littleEndian: minor)
        bytes.append(JournalFormat.suite)
        bytes.append(zeros: 3)
        bytes += group.bytes
        bytes.append(littleEndian: journal.first)
        bytes.append(littleEndian: journal.second)
        bytes.append(littleEndian: epoch)
        bytes.append(littleEndian: UInt32(keySlots.count))
        bytes.append(littleEndian: baseSequence)
        bytes.append(littleEndian: blocksOffset)
        bytes.append(littleEndian: indexOffset)
        bytes.append(littleEndian: indexByteCount)
        bytes.append(littleEndian: framesOffset)
        bytes.append(littleEndian: deadByteCount)
        bytes.append(littleEndian: UInt32(extra.count))
        bytes.append(zeros: Self.slotsOffset - bytes.count)
        bytes += keySlots
        bytes += extra
        bytes.append(zeros: Self.hashOffset - bytes.count)
        bytes += try keys.headerHash(bytes.rawSpan)
        return bytes
    }

    /// Decodes a header without trusting it: checks only its structure and the order of its offsets.
    ///
    /// - Throws: ``StorageError/Code/foreign`` for another kind of file, ``StorageError/Code/unsupportedVersion`` for a
    ///   newer version, ``StorageError/Code/damaged`` for a header that is too short or inconsistent.
    init(decoding bytes: RawSpan) throws(StorageError) {
        guard bytes.byteCount >= Self.byteCount else {
            // The length is checked first, so a short file counts as damaged whatever it begins with.
            throw StorageError(.damaged, detail: "the file ends within its header (\(bytes.byteCount) bytes)")
        }
        guard bytes.uint64(at: 0) == Self.magic else {
            throw StorageError(.foreign, detail: "the file does not start like a journal")
        }
        major = bytes.uint16(at: 8)
        guard major == JournalFormat.major || major == JournalFormat.olderMajor else {
            throw StorageError(.unsupportedVersion, detail: "journal of version \(major)")
        }
        guard bytes.uint8(at: 12) == JournalFormat.suite else {
            throw StorageError(.unsupportedVersion, detail: "cipher suite \(bytes.uint8(at: 12))")
        }
        minor = bytes.uint16(at: 10)
        guard let uuid = GroupUUID(bytes: bytes.extracting(16..<32).copied()) else {
            throw StorageError(.damaged, detail: "the header is malformed")
        }
        group = uuid
        journal = JournalID(first: bytes.uint64(at: 32), second: bytes.uint64(at: 40))
        epoch = bytes.uint32(at: 48)
        baseSequence = bytes.uint64(at: 56)
        blocksOffset = bytes.uint64(at: 64)
        indexOffset = bytes.uint64(at: 72)
        indexByteCount = bytes.uint64(at: 80)
        framesOffset = bytes.uint64(at: 88)
        deadByteCount = bytes.uint64(at: 96)
        let slotsByteCount = UInt64(bytes.uint32(at: 52))
        let extraByteCount = UInt64(bytes.uint32(at: 104))
        guard slotsByteCount + extraByteCount <= Self.variableByteCount else {
            throw StorageError(.damaged, detail: "the header is malformed")
        }
        let slotsEnd = Self.slotsOffset + Int(slotsByteCount)
        keySlots = bytes.extracting(Self.slotsOffset..<slotsEnd).copied()
        guard let decoded = HeaderField.decode(bytes.extracting(slotsEnd..<slotsEnd + Int(extraByteCount))) else {
            throw StorageError(.damaged, detail: "the header is malformed")
        }
        fields = decoded
        hash = bytes.extracting(Self.hashOffset..<Self.byteCount).copied()
        // The header is not trusted yet, but its fields are used to compute the offset of the copy.
        guard baseSequence < JournalFormat.largestNumber, deadByteCount < JournalFormat.largestNumber,
            isConsistent(withFileOf: .max)
        else {
            throw StorageError(.damaged, detail: "the header is malformed")
        }
    }

    /// Whether the bytes of a header were written under `keys`. Check this before trusting any field.
    static func verifies(_ bytes: RawSpan, keys: JournalKeys) throws(StorageError) -> Bool {
        let hash = try keys.headerHash(bytes.extracting(0..<hashOffset))
        return SecretMemory.isEqual(hash.rawSpan, bytes.extracting(hashOffset..<byteCount))
    }

    /// Whether this header is currently at `offset` of a file. The id identifies the journal, and the hash the header's
    /// content.
    func isStored(at offset: UInt64, in file: CheckedFile) throws(StorageError) -> Bool {
        // Not into cleared memory, because the page is long.
        let page = try file.read(at: offset, count: Self.byteCount)
        let bytes = page.rawSpan
        return page.count == Self.byteCount && bytes.uint64(at: 0) == Self.magic
            && bytes.uint64(at: 32) == journal.first && bytes.uint64(at: 40) == journal.second
            && bytes.extracting(Self.hashOffset..<Self.byteCount).isEqual(to: hash.rawSpan)
    }

    /// Whether the header's offsets fit a file of `fileByteCount` bytes.
    func isConsistent(withFileOf fileByteCount: UInt64) -> Bool {
        let page = UInt64(JournalFormat.pageByteCount)
        return blocksOffset >= boxesOffset && blocksOffset <= indexOffset && blocksOffset % 8 == 0
            && indexOffset % 8 == 0
            && framesOffset % page == 0 && framesOffset >= 2 * page && framesOffset <= fileByteCount
            && indexOffset <= copyOffset && indexByteCount <= copyOffset - indexOffset
    }
}

/// An optional field of the header. Those of newer versions are preserved.
package struct HeaderField: Hashable, Sendable {
    /// The field with the keyed hash of the group's name.
    static let nameType: UInt16 = 1

    package let type: UInt16
    package let value: [UInt8]

    package init(type: UInt16, value: [UInt8]) {
        self.type = type
        self.value = value
    }

    /// Decodes the fields of a header, or returns `nil` if the bytes are not a sequence of fields.
    static func decode(_ bytes: RawSpan) -> [HeaderField]? {
        var fields: [HeaderField] = []
        var offset = 0
        while offset < bytes.byteCount {
            guard bytes.byteCount - offset >= 4 else { return nil }
            let count = Int(bytes.uint16(at: offset + 2))
            guard bytes.byteCount - offset - 4 >= count else { return nil }
            let value = bytes.extracting(offset + 4..<offset + 4 + count).copied()
            fields.append(HeaderField(type: bytes.uint16(at: offset), value: value))
            offset += 4 + count
        }
        return fields
    }

    static func encode(_ fields: [HeaderField]) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes.append(littleEndian: field.type)
            bytes.append(littleEndian: UInt16(field.value.count))
            bytes += field.value
        }
        return bytes
    }
}
