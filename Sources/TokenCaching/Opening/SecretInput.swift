// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import SystemPackage

/// Reads a user's secret directly into secret memory: from a descriptor, or from a file. It is a text of one line, and a
/// line break at its end is not part of it.
package struct SecretInput {
    /// What errors call it, such as "passphrase".
    let name: String
    /// The maximum length in bytes.
    let maximumByteCount: Int
    /// Whether it contains no control characters.
    let isPlain: Bool

    package init(name: String, maximumByteCount: Int, isPlain: Bool = false) {
        self.name = name
        self.maximumByteCount = maximumByteCount
        self.isPlain = isPlain
    }

    /// Copies these bytes.
    ///
    /// - Throws: ``StorageError/Code/invalidRequest`` if there are none or too many, or if they contain what they must not.
    package func copy(of bytes: RawSpan) throws(StorageError) -> SecretBytes {
        try check(byteCount: bytes.byteCount)
        return try checked(sealing(try SecretBytes(copying: bytes)), count: bytes.byteCount)
    }

    /// Reads a descriptor to its end.
    package func read(_ descriptor: Int32) throws(StorageError) -> SecretBytes {
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
        return try checked(bytes, count: count)
    }

    /// Reads one line from a descriptor, byte by byte, so that further lines can be read afterwards.
    package func readLine(_ descriptor: Int32) throws(StorageError) -> SecretBytes {
        // One byte more than the limit, so that overlong lines are detected.
        var bytes = try sealing(try SecretBytes(byteCount: maximumByteCount + 1))
        var count = 0
        while count <= maximumByteCount {
            var room = bytes.mutablePrefix(count + 1)
            let read = try DescriptorReader.read(descriptor, into: &room, from: count)
            if read == 0 || bytes.bytes.endsWith(UInt8(ascii: "\n"), count: count + 1) { break }
            count += 1
        }
        // A passphrase may end with this character.
        if isPlain, bytes.bytes.endsWith(UInt8(ascii: "\r"), count: count) { count -= 1 }
        return try checked(bytes, count: count)
    }

    /// Reads a file, which has to be private like a key file.
    ///
    /// - Parameters:
    ///   - path: its path, which may be relative to the current folder.
    ///   - mayBeMounted: whether it may also be one that the system mounted for this process.
    /// - Returns: its content.
    /// - Throws: the errors of opening a key file, ``StorageError/Code/notFound``, and
    ///   ``StorageError/Code/invalidRequest`` if it is empty or too long.
    package func readFile(at path: String, mayBeMounted: Bool) throws(StorageError) -> SecretBytes {
        let file: CheckedFile
        do throws(StorageError) {
            file = try KeyFile(at: path).open()
        } catch {
            if error.code == .keyFileInvalid { throw StorageError(.unsafeFile, path: path, detail: error.detail) }
            guard mayBeMounted, error.code == .unsafePermissions || error.code == .unsafeFile,
                let mounted = try? KeyFile(at: path, mountedFor: .everybody).open()
            else { throw error }
            file = mounted
        }
        return try read(file.descriptor.rawValue)
    }

    private func checked(_ bytes: consuming SecretBytes, count: Int) throws(StorageError) -> SecretBytes {
        try check(byteCount: count)
        bytes.truncate(to: count)
        guard !isPlain || (0..<count).allSatisfy({ Self.isPlain(bytes.bytes.uint8(at: $0)) }) else {
            throw StorageError(.invalidRequest, detail: "the \(name) contains a control character")
        }
        return bytes
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }

    private func check(byteCount: Int) throws(StorageError) {
        guard byteCount > 0 else { throw StorageError(.invalidRequest, detail: "the \(name) is empty") }
        guard byteCount <= maximumByteCount else {
            throw StorageError(.invalidRequest, detail: "the \(name) has more than \(maximumByteCount) bytes")
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
