// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage

/// The facts of an internal record: numbered fields, so that later versions can add more.
///
///     0     version, 1
///     …     fields: number (1 byte), length (a varint as in facts of entries), as many bytes as it says
///
/// Fields are in ascending order of their numbers. Fields that this version does not know are preserved when a record
/// is rewritten. Numbers are little-endian.
package struct InternalRecordFacts: Hashable, Sendable {
    /// The fields, by number.
    package private(set) var fields: [Field: [UInt8]] = [:]

    package static let version: UInt8 = 1

    /// The number of a field.
    package struct Field: Hashable, Comparable, Sendable {
        package let number: UInt8

        package init(number: UInt8) { self.number = number }

        /// The client concerned, or the client that made the change.
        package static let clientID = Field(number: 1)
        /// The account concerned: its home account id, or its username if it has none.
        package static let account = Field(number: 2)
        /// A ``SignInRecord/Value`` or a ``RemovalScope``.
        package static let value = Field(number: 3)
        /// When it was written: seconds since 1970.
        package static let time = Field(number: 4)
        /// How often it was written.
        package static let count = Field(number: 5)
        /// The sequence of the last removal's transaction. Renewals that began before it must notice it.
        package static let removal = Field(number: 6)
        /// A username to display.
        package static let username = Field(number: 7)
        /// The host of an authority.
        package static let environment = Field(number: 8)

        /// When the server permanently refused the client's refresh token, so that it was removed.
        package static let loss = Field(number: 9)

        /// A text that names a tenant, folded.
        package static let name = Field(number: 10)
        /// The realm to which the name resolves, folded.
        package static let realm = Field(number: 11)

        // Fields 12 to 31 describe refusals: see RefusalNote.

        /// Clouds, as JSON.
        package static let clouds = Field(number: 32)
        /// The metadata of authorities, as JSON.
        package static let authorities = Field(number: 33)

        /// The URL of an authority.
        package static let authority = Field(number: 34)
        /// A family of clients.
        package static let family = Field(number: 35)
        /// The id of a process.
        package static let process = Field(number: 36)
        /// The transaction that recorded the user's last answer, as its sequence.
        package static let answered = Field(number: 37)
        /// The tag of an account's partition.
        package static let partition = Field(number: 38)
        /// Sign-ins before the last answer: a sequence, and the tag of a partition, for each.
        package static let earlierSignIns = Field(number: 39)

        package static func < (left: Field, right: Field) -> Bool { left.number < right.number }
    }

    package init() {}

    /// Decodes the plaintext of a facts box.
    ///
    /// - Throws: `damaged` for bytes that this format cannot produce, `unsupportedVersion` for a later version. Never
    ///   traps.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        guard let version = bytes.first else { throw InternalRecordFacts.malformed }
        guard version == InternalRecordFacts.version else { throw StorageError(.unsupportedVersion) }
        var position = 1
        while position < bytes.count {
            let field = Field(number: bytes[position])
            position += 1
            guard let count = Varint.read(bytes.rawSpan, at: &position) else { throw InternalRecordFacts.malformed }
            guard count <= bytes.count - position else { throw InternalRecordFacts.malformed }
            fields[field] = Array(bytes[position..<position + count])
            position += count
        }
    }

    package func encoded() -> [UInt8] {
        var bytes = [InternalRecordFacts.version]
        for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
            bytes.append(field.number)
            bytes.append(varint: value.count)
            bytes += value
        }
        return bytes
    }

    package subscript(bytes field: Field) -> [UInt8]? {
        get { fields[field] }
        set { fields[field] = newValue }
    }

    package subscript(text field: Field) -> String? {
        get { fields[field].map { String(decoding: $0, as: UTF8.self) } }
        set { fields[field] = newValue.map { Array($0.utf8) } }
    }

    package subscript(number field: Field) -> Int64? {
        get {
            guard let words = self[words: field], words.count == 1 else { return nil }
            return Int64(bitPattern: words[0])
        }
        set { self[words: field] = newValue.map { [UInt64(bitPattern: $0)] } }
    }

    /// Numbers of eight bytes; nil if the length is not a multiple of eight.
    package subscript(words field: Field) -> [UInt64]? {
        get {
            guard let bytes = fields[field], bytes.count.isMultiple(of: 8) else { return nil }
            return stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        set {
            fields[field] = newValue?.flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            }
        }
    }

    private static let malformed = StorageError(
        .damaged,
        detail: "an internal record is malformed"
    )
}
