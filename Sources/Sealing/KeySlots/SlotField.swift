internal import ByteOperations

/// A field behind the slots that this version does not know: kept as it is, so that an older version takes nothing from
/// a newer one.
struct SlotField: Hashable, Sendable {
    /// Fields from here on change what the block means: who does not know one must not touch the block.
    static let firstCriticalType: UInt16 = 0x8000

    let type: UInt16
    let content: [UInt8]

    init(type: UInt16, content: [UInt8]) {
        self.type = type
        self.content = content
    }

    init(from reader: inout ByteReader) throws(SealingError) {
        type = try reader.readUInt16()
        content = try reader.read(Int(try reader.readUInt16()))
        guard type < Self.firstCriticalType else { throw SealingError(.unsupportedVersion) }
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: type)
        bytes.append(littleEndian: UInt16(content.count))
        return bytes + content
    }
}
