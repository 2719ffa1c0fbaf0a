// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
public import TokenCaching

/// A client's secret or assertion, in memory that is kept out of swap and core dumps and wiped when the value is destroyed.
///
/// There is one owner and no implicit copy. A request that contains it is copied by the transport: see the threat model.
public struct ClientSecret: ~Copyable, Sendable {
    /// The maximum length in bytes.
    public static let maximumByteCount = 16_384

    let bytes: SecretBytes

    /// Copies these bytes. The source is not wiped: wipe it yourself.
    ///
    /// - Throws: `TokenCacheError.Code.invalidRequest` if there are none or too many, or if one is a control character,
    ///   which no secret has (RFC 6749, appendix A.2); `outOfMemory`.
    public init(copying bytes: RawSpan) throws(TokenCacheError) {
        self.bytes = try translating(try Self.input.copy(of: bytes))
    }

    /// Copies the UTF-8 of a string. The string itself may leave copies in memory that cannot be wiped.
    ///
    /// - Throws: the errors of ``init(copying:)``.
    public init(_ text: String) throws(TokenCacheError) {
        try self.init(copying: text.rawSpan)
    }

    /// Reads a private file: regular, of this user, with one name, and inaccessible to others, like a key file. A line
    /// break at its end is not part of the secret.
    ///
    /// - Parameters:
    ///   - path: its path, which may be relative to the current folder.
    ///   - mayBeMounted: whether the file may instead be one that systemd, Kubernetes or Docker mounted for this process: of
    ///     root or this user, and read-only or in memory. Then others may be able to read it.
    /// - Throws: the errors of ``init(copying:)``; `TokenCacheError.Code.notFound`, `unsafeFile`, `unsafePermissions`, and
    ///   `system` if reading fails.
    public init(readingFileAt path: String, mayBeMounted: Bool = false) throws(TokenCacheError) {
        bytes = try translating(try Self.input.readFile(at: path, mayBeMounted: mayBeMounted))
    }

    /// Reads one line from a descriptor, byte by byte. Further lines can be read afterwards.
    ///
    /// The line ends at a line feed, or at the end of the input. Its line break is not part of the secret.
    ///
    /// - Throws: the errors of ``init(copying:)``, and `TokenCacheError.Code.system` if reading fails.
    public init(readingLineFrom descriptor: Int32) throws(TokenCacheError) {
        bytes = try translating(try Self.input.readLine(descriptor))
    }

    /// Copies the secret, for example to answer repeated requests for it.
    ///
    /// - Throws: `TokenCacheError.Code.outOfMemory`, `forkedProcess`.
    public borrowing func copy() throws(TokenCacheError) -> ClientSecret {
        try ClientSecret(copying: bytes.bytes)
    }

    private static let input = SecretInput(
        name: "client secret",
        maximumByteCount: maximumByteCount,
        isPlain: true
    )
}
