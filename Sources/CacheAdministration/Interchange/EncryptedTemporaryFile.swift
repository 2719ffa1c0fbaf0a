// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SystemPackage
internal import TokenCaching

/// The input from a pipe, stored in the group's folder until the lock is taken. It is sealed under a key that only this
/// call has, in a file that is removed with this object.
///
/// The writer's lock must not be held while waiting for the other end of a pipe.
final class EncryptedTemporaryFile: ByteSource {
    private static let chunkByteCount = 256 << 10

    private let file: TemporaryFile
    private let key: SealingKey
    private let path: String
    private var chunkByteCounts: [Int] = []
    private var nextChunk = 0
    /// The chunk being read back.
    private var chunk: SecretBytes
    private var position = 0

    let mayWait = false
    private(set) var byteCount: UInt64 = 0

    var totalByteCount: UInt64? { byteCount }

    /// Reads `source` to its end.
    ///
    /// - Parameters:
    ///   - source: the input.
    ///   - directory: the folder of the group.
    ///   - limit: the maximum number of bytes.
    ///   - meter: receives the progress.
    /// - Throws: `tooLarge`, `full`, and errors of the source.
    init(
        _ source: any ByteSource,
        in directory: GroupDirectory,
        limit: UInt64,
        meter: inout ProgressMeter
    ) throws(StorageError) {
        file = try directory.makeTemporary()
        key = try sealing(try SealingKey.random())
        path = directory.path(of: file.name)
        chunk = try sealing(try SecretBytes(byteCount: 0))
        var chunk = try sealing(try SecretBytes(byteCount: Self.chunkByteCount))
        while true {
            var count = 0
            while count < chunk.byteCount {
                var room = chunk.mutableBytes
                let read = try source.read(into: &room, from: count)
                if read == 0 { break }
                count += read
            }
            if count == 0 { return }
            byteCount += UInt64(count)
            guard byteCount <= limit else { throw ImportRun.overLimit("the document is over the limit") }
            try write(chunk.bytes.extracting(0..<count))
            try meter.note(completedBytes: Int(byteCount), entryCount: 0)
        }
    }

    func read(into room: inout MutableRawSpan, from start: Int) throws(StorageError) -> Int {
        if position == chunk.byteCount {
            guard nextChunk < chunkByteCounts.count else { return 0 }
            chunk = try readChunk(nextChunk)
            nextChunk += 1
            position = 0
        }
        let copied = chunk.withBytes { (bytes) in
            let count = min(bytes.byteCount - position, room.byteCount - start)
            room.copy(bytes.extracting(position..<position + count), to: start)
            return count
        }
        position += copied
        return copied
    }

    private static func offset(of index: Int) -> UInt64 {
        UInt64(index) * UInt64(chunkByteCount + AEAD.overhead)
    }

    private func write(_ chunk: RawSpan) throws(StorageError) {
        let index = chunkByteCounts.count
        let box = try sealing(try AEAD.seal(chunk, key: key, authenticating: Self.location(index).rawSpan))
        try describing("writing the temporary copy of the document", path: path) { () throws(Errno) in
            try Syscalls.write(file.descriptor, at: Self.offset(of: index), box)
        }
        chunkByteCounts.append(chunk.byteCount)
    }

    private func readChunk(_ index: Int) throws(StorageError) -> SecretBytes {
        let count = chunkByteCounts[index] + AEAD.overhead
        let box = try describing("reading the temporary copy of the document", path: path) { () throws(Errno) in
            try Syscalls.read(file.descriptor, at: Self.offset(of: index), count: count)
        }
        return try sealing(try AEAD.open(box.rawSpan, key: key, authenticating: Self.location(index).rawSpan))
    }

    private static func location(_ index: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: index >> (8 * $0)) }
    }
}
