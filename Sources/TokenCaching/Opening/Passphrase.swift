// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Sealing

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
        self.bytes = try translating(try Self.input.copy(of: bytes))
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
        bytes = try translating(try Self.input.read(descriptor))
    }

    /// Reads one line from a descriptor, byte by byte, directly into protected memory. Further lines can be read
    /// afterwards.
    ///
    /// The line ends at a line feed, which is not part of the passphrase, or at the end of the input.
    ///
    /// - Throws: the errors of ``init(readingFrom:)``.
    public init(readingLineFrom descriptor: Int32) throws(TokenCacheError) {
        bytes = try translating(try Self.input.readLine(descriptor))
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

    private static let input = SecretInput(name: "passphrase", maximumByteCount: maximumByteCount)
}
