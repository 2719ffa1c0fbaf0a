/// Reads bytes from front to back and never beyond the end.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }

    mutating func read(_ count: Int) throws(SealingError) -> [UInt8] {
        guard count >= 0, count <= remaining else { throw SealingError(.malformed) }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func readRest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    mutating func readUInt8() throws(SealingError) -> UInt8 {
        try read(1)[0]
    }

    mutating func readUInt16() throws(SealingError) -> UInt16 {
        try read(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    }

    mutating func readUInt32() throws(SealingError) -> UInt32 {
        try read(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
