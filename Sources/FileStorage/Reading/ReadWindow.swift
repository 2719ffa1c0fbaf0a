// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Reads a file sequentially with few system calls.
struct ReadWindow {
    private let file: CheckedFile
    /// The file offset at which reading stops.
    let limit: UInt64
    private let readAhead: Int
    /// The bytes last read.
    private(set) var bytes: [UInt8] = []
    private var start: UInt64 = 0

    init(_ file: CheckedFile, limit: UInt64, readAhead: Int = 64 << 10) {
        self.file = file
        self.limit = limit
        self.readAhead = readAhead
    }

    /// Makes `count` bytes from `offset` available in ``bytes``.
    ///
    /// - Parameters:
    ///   - offset: their file offset.
    ///   - count: their number.
    ///   - dataEnd: the start of the next hole, where reading ahead stops.
    /// - Returns: their position in ``bytes``, or `nil` if the file is too short.
    /// - Throws: errors of reading the file.
    mutating func load(at offset: UInt64, count: Int, dataEnd: UInt64 = .max) throws(StorageError) -> Int? {
        guard offset <= limit, UInt64(count) <= limit - offset else { return nil }
        if offset >= start, offset - start + UInt64(count) <= UInt64(bytes.count) { return Int(offset - start) }
        let data = Int(clamping: dataEnd - min(dataEnd, offset))
        let ahead = data < readAhead ? data + count : readAhead
        let wanted = Int(min(UInt64(max(count, ahead)), limit - offset))
        bytes = try file.read(at: offset, count: wanted)
        start = offset
        return bytes.count >= count ? 0 : nil
    }

    /// The words at this position in ``bytes``, in memory order.
    func words<let count: Int>(at position: Int) -> InlineArray<count, UInt64> {
        let span = bytes.rawSpan
        return InlineArray { span.uint64(at: position + 8 * $0).littleEndian }
    }
}

extension CheckedFile {
    /// The `count` bytes at `offset`; fewer only at the end of the file.
    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        try describing("reading the file", path: path) { () throws(Errno) in
            try Syscalls.read(descriptor, at: offset, count: count)
        }
    }

    /// The words at `offset`, in memory order; zeros after the end of the file.
    func words<let count: Int>(at offset: UInt64) throws(StorageError) -> InlineArray<count, UInt64> {
        try describing("reading the file", path: path) { () throws(Errno) in
            var words = InlineArray<count, UInt64>(repeating: 0)
            var span = words.mutableSpan
            // SAFETY: numbers have no padding, and any bytes are a number.
            var bytes = unsafe span.mutableBytes
            _ = try Syscalls.read(descriptor, at: offset, into: &bytes)
            return words
        }
    }
}
