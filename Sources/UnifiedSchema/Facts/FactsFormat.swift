// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The binary form of the facts of one entry, as it is sealed into a facts box.
///
///     version   1 byte, 2; facts of version 1 lack the position
///     position  4 bytes, little-endian: the place of the entry among those that were written with it
///     kind      1 byte: the number of the EntryKind, and 64 more for a credential whose secret is no token
///     section   1 byte: the number of a DocumentSection, or 254 (plain) or 255 (escaped) and then a name
///     key form  1 byte: 0 none, 1 plain, 2 escaped; then, unless there is none, the key
///     count     number of members, as a varint
///     members   each: 1 byte, the number of a MemberName, or 0 and then a name with its form bit;
///               then a varint: 4 × length + form; then that many bytes
///
/// A name or a key is a varint with its length and then the content of its JSON string; for the name of a member
/// without a number, the varint is 2 × length + (1 if there are escapes). Forms of values: 0 a secret, which has no
/// bytes here and is the payload's next value; 1 raw JSON; 2 the content of a string without escapes; 3 the content of
/// a string with escapes. A varint has seven bits a byte, lowest first, the high bit set in all but the last, at most
/// five bytes.
///
/// An entry of the kind `opaque` has no members: the whole entry is the only value of its payload.
enum FactsFormat {
    static let version: UInt8 = 2
    static let versionWithoutPosition: UInt8 = 1
    /// The bytes of version and position.
    static let headByteCount = 5
    static let plainSection: UInt8 = 254
    static let escapedSection: UInt8 = 255

    enum KeyForm: UInt8 {
        case none = 0
        case plain = 1
        case escaped = 2
    }

    enum ValueForm: Int {
        case secret = 0
        case rawJSON = 1
        case plainString = 2
        case escapedString = 3
    }

    /// The length of version and position in facts that begin with a byte; nil if that is no known version.
    static func headByteCount(version: UInt8) -> Int? {
        switch version {
        case Self.version: headByteCount
        case versionWithoutPosition: 1
        default: nil
        }
    }

    /// The position in facts whose length was checked.
    static func position(in facts: RawSpan) -> UInt32 {
        facts.byte(at: 0) == version ? facts.uint32(at: 1) : 0
    }
}
