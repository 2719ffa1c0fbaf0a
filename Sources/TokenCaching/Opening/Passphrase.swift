// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SystemPackage

/// A passphrase, in memory that is kept out of swap and core dumps and wiped when the value is destroyed.
///
/// There is one owner and no implicit copy.
public struct Passphrase: ~Copyable, Sendable {
    /// The maximum length in bytes.
    public static let maximumByteCount = 4_096

    let bytes: SecretBytes

    /// Copies these bytes. The source is not wiped: wipe it yourself.
    ///
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` if it is empty or too long,
    ///   ``TokenCacheError/Code/outOfMemory``.
    public init(copying bytes: RawSpan) throws(TokenCacheError) {
        try translating(try Self.check(byteCount: bytes.byteCount))
        self.bytes = try translating(try sealing(try SecretBytes(copying: bytes)))
    }

    /// Copies the UTF-8 of a string. The string itself may leave copies in memory that cannot be wiped.
    ///
    /// - Throws: the errors of ``init(copying:)``.
    public init(_ text: String) throws(TokenCacheError) {
        // SAFETY: bytes have no padding.
        try unsafe self.init(copying: Array(text.utf8).span.bytes)
    }

    /// Reads a descriptor to its end, directly into protected memory. A trailing line break is ignored.
    ///
    /// - Throws: the errors of ``init(copying:)``, and ``TokenCacheError/Code/system`` if reading fails.
    public init(readingFrom descriptor: Int32) throws(TokenCacheError) {
        bytes = try translating(try Self.read(descriptor))
    }

    private static func read(_ descriptor: Int32) throws(StorageError) -> SecretBytes {
        // Larger than the limit plus a line break, so that excess input is detected.
        var bytes = try sealing(try SecretBytes(byteCount: maximumByteCount + 3))
        var count = 0
        while count < bytes.byteCount {
            var room = bytes.mutableBytes
            let read = try DescriptorReader.read(descriptor, into: &room, from: count)
            if read == 0 { break }
            count += read
        }
        if bytes.bytes.endsWith(UInt8(ascii: "\n"), count: count) {
            count -= 1
            if bytes.bytes.endsWith(UInt8(ascii: "\r"), count: count) { count -= 1 }
        }
        try check(byteCount: count)
        bytes.truncate(to: count)
        return bytes
    }

    /// Reads one line from a descriptor, byte by byte, directly into protected memory. Further lines can be read
    /// afterwards.
    ///
    /// The line ends at a line feed, which is not part of the passphrase, or at the end of the input.
    ///
    /// - Throws: the errors of ``init(readingFrom:)``.
    public init(readingLineFrom descriptor: Int32) throws(TokenCacheError) {
        bytes = try translating(try Self.readLine(descriptor))
    }

    private static func readLine(_ descriptor: Int32) throws(StorageError) -> SecretBytes {
        // One byte more than the limit, so that overlong lines are detected.
        var bytes = try sealing(try SecretBytes(byteCount: maximumByteCount + 1))
        var count = 0
        while count <= maximumByteCount {
            var room = bytes.mutablePrefix(count + 1)
            let read = try DescriptorReader.read(descriptor, into: &room, from: count)
            if read == 0 || bytes.bytes.endsWith(UInt8(ascii: "\n"), count: count + 1) { break }
            count += 1
        }
        try check(byteCount: count)
        bytes.truncate(to: count)
        return bytes
    }

    init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Copies the passphrase, for example to answer repeated requests for it.
    ///
    /// - Throws: ``TokenCacheError/Code/outOfMemory``, ``TokenCacheError/Code/forkedProcess``.
    public borrowing func copy() throws(TokenCacheError) -> Passphrase {
        Passphrase(try translating(try sealing(try bytes.copy())))
    }

    /// Whether both passphrases are the same. Takes the same time wherever they differ.
    public borrowing func isEqual(to other: borrowing Passphrase) -> Bool {
        bytes.isEqual(to: other.bytes)
    }

    private static func check(byteCount: Int) throws(StorageError) {
        guard byteCount > 0 else { throw StorageError(.invalidRequest, detail: "the passphrase is empty") }
        guard byteCount <= maximumByteCount else {
            throw StorageError(.invalidRequest, detail: "a passphrase has at most \(maximumByteCount) bytes")
        }
    }
}

extension RawSpan {
    /// Whether `byte` is the last of the first `count` bytes.
    fileprivate func endsWith(_ byte: UInt8, count: Int) -> Bool {
        // SAFETY: the offset is checked to be within bounds.
        guard count > 0, count <= byteCount else { return false }
        return unsafe unsafeLoad(fromByteOffset: count - 1, as: UInt8.self) == byte
    }
}
