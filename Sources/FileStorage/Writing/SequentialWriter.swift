// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Writes a file sequentially in large pieces.
final class SequentialWriter {
    private let file: CheckedFile
    private var buffer: [UInt8] = []
    private var flushed: UInt64
    private let capacity: Int
    /// The offset before which the kernel was asked to start writeback.
    private var pushed: UInt64
    private static let pushByteCount: UInt64 = 16 << 20

    /// Starts writing at `offset`.
    init(_ file: CheckedFile, from offset: UInt64, capacity: Int = 256 << 10) {
        self.file = file
        self.capacity = capacity
        flushed = offset
        pushed = offset
        buffer.reserveCapacity(capacity)
    }

    /// The offset of the next byte.
    var position: UInt64 { flushed + UInt64(buffer.count) }

    func append(_ bytes: [UInt8]) throws(StorageError) {
        try append(bytes.rawSpan)
    }

    func append(_ bytes: RawSpan) throws(StorageError) {
        if buffer.count + bytes.byteCount > capacity { try flush() }
        if bytes.byteCount >= capacity {
            try write(bytes)
        } else {
            buffer.append(bytes)
        }
    }

    /// Writes zeros up to the next multiple of `step`.
    func align(to step: UInt64) throws(StorageError) {
        let count = Int(position.roundedUp(to: step) - position)
        if count > 0 { try append([UInt8](repeating: 0, count: count)) }
    }

    /// Leaves a hole, which reads as zeros, up to `offset`.
    func skip(to offset: UInt64) throws(StorageError) {
        try flush()
        flushed = offset
    }

    func flush() throws(StorageError) {
        guard !buffer.isEmpty else { return }
        var full: [UInt8] = []
        swap(&full, &buffer)
        defer {
            full.removeAll(keepingCapacity: true)
            swap(&full, &buffer)
        }
        try write(full.rawSpan)
    }

    private func write(_ bytes: RawSpan) throws(StorageError) {
        try file.write(bytes, at: flushed)
        flushed += UInt64(bytes.byteCount)
        // Let the disk write while more data is assembled; otherwise the final sync would wait for all of it.
        if flushed - pushed >= Self.pushByteCount {
            Syscalls.startWriteback(file.descriptor, at: pushed, count: flushed - pushed)
            pushed = flushed
        }
    }
}

extension CheckedFile {
    /// Writes all of `bytes` at `offset`. After an error, part of them may have been written.
    func write(_ bytes: RawSpan, at offset: UInt64) throws(StorageError) {
        do throws(Errno) {
            try Syscalls.write(descriptor, at: offset, bytes)
        } catch {
            throw StorageError(error, path: path, doing: "writing the file")
        }
    }
}
