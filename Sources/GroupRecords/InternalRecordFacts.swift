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
    /// The fields, by number, including those that this version does not know.
    private var fields: [UInt8: [UInt8]] = [:]

    package static let version: UInt8 = 1

    /// The fields of all kinds of internal records. The raw values are part of the format; the compiler refuses a
    /// number that is used twice.
    package enum Field: UInt8, Sendable, CaseIterable {
        /// The client concerned, or the client that made the change.
        case clientID = 1
        /// The account concerned: its home account id, or its username if it has none.
        case account = 2
        /// A ``SignInRecord/Value`` or a ``RemovalScope``.
        case value = 3
        /// When it was written: seconds since 1970.
        case time = 4
        /// How often it was written.
        case count = 5
        /// The sequence of the last removal's transaction. Renewals that began before it must notice it.
        case removal = 6
        /// A username to display.
        case username = 7
        /// The host of an authority.
        case environment = 8

        /// When the server permanently refused the client's refresh token, so that it was removed.
        case loss = 9

        /// A text that names a tenant, folded.
        case name = 10
        /// The realm to which the name resolves, folded.
        case realm = 11

        /// When a note of a refusal ends, in seconds since 1970.
        case end = 12
        /// The server's response, member by member.
        case error = 13
        case suberror = 14
        case errorCodes = 15
        case claims = 16
        case correlationID = 17
        case traceID = 18
        case status = 19
        case retryAfter = 20
        /// One version of a record: the words of its tag, and its sequence.
        case token = 21
        /// Scopes, separated by spaces.
        case granted = 22
        /// The address of the note: the words of its partition's tag, and of its own tag.
        case location = 23

        /// Clouds, as JSON.
        case clouds = 32
        /// The issuers of sign-ins and the clients of protected resources, as JSON.
        case authorities = 33

        /// The URL of an authority.
        case authority = 34
        /// A family of clients.
        case family = 35
        /// The id of a process.
        case process = 36
        /// The transaction that recorded the user's last answer, as its sequence.
        case answered = 37
        /// The tag of an account's partition.
        case partition = 38
        /// Sign-ins before the last answer: a sequence, and the tag of a partition, for each.
        case earlierSignIns = 39

        /// The numbers of the tokens that removals took from the client, 8 bytes each, oldest first.
        case removedTokens = 40
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
            let number = bytes[position]
            position += 1
            guard let count = Varint.read(bytes.rawSpan, at: &position) else { throw InternalRecordFacts.malformed }
            guard count <= bytes.count - position else { throw InternalRecordFacts.malformed }
            fields[number] = Array(bytes[position..<position + count])
            position += count
        }
    }

    package func encoded() -> [UInt8] {
        var bytes = [InternalRecordFacts.version]
        for (number, value) in fields.sorted(by: { $0.key < $1.key }) {
            bytes.append(number)
            bytes.append(varint: value.count)
            bytes += value
        }
        return bytes
    }

    package subscript(bytes field: Field) -> [UInt8]? {
        get { fields[field.rawValue] }
        set { fields[field.rawValue] = newValue }
    }

    package subscript(text field: Field) -> String? {
        get { fields[field.rawValue].map { String(decoding: $0, as: UTF8.self) } }
        set { fields[field.rawValue] = newValue.map { Array($0.utf8) } }
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
            guard let bytes = fields[field.rawValue], bytes.count.isMultiple(of: 8) else { return nil }
            return stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        set {
            fields[field.rawValue] = newValue?.flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            }
        }
    }

    private static let malformed = StorageError(
        .damaged,
        detail: "an internal record is malformed"
    )
}
