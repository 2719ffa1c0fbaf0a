// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Writes the facts of a new entry member by member, in order and each once.
struct NewFacts: ~Copyable {
    private let kind: EntryKind
    private var writer: FactsWriter
    private var memberCount = 0

    /// The usual size of a token's members.
    private static let usualByteCount = 448

    /// Begins the facts of an entry under a key.
    init(kind: EntryKind, section: DocumentSection, key: UTF8Text) {
        self.kind = kind
        writer = FactsWriter(kind: kind, reserving: Self.usualByteCount + key.byteCount)
        writer.section(section)
        let bytes = key.bytes
        if JSONString.isPlain(bytes) {
            writer.key(content: bytes, hasEscapes: false)
        } else {
            writer.key(content: JSONString.quotedContent(key).bytes.rawSpan, hasEscapes: true)
        }
        writer.countLater()
    }

    /// Writes a member that is text; omits it for nil.
    mutating func set(_ name: MemberName, _ text: UTF8Text?) {
        guard let text else { return }
        begin(name)
        let bytes = text.bytes
        if JSONString.isPlain(bytes) {
            writer.value(.plainString, bytes)
        } else {
            writer.value(.escapedString, JSONString.quotedContent(text).bytes.rawSpan)
        }
    }

    /// Writes a member that is a time, as decimal text; omits it for nil.
    mutating func set(_ name: MemberName, seconds: Int64?) {
        guard let seconds else { return }
        begin(name)
        writer.decimal(seconds)
    }

    /// Writes a member that is a JSON value; omits it for nil.
    mutating func set(_ name: MemberName, json: [UInt8]?) {
        guard let json else { return }
        begin(name)
        writer.value(.rawJSON, json.rawSpan)
    }

    /// Marks the value of a member as being in the payload.
    mutating func setSecret(_ name: MemberName) {
        begin(name)
        writer.secretValue()
    }

    /// The facts as written.
    consuming func facts() -> EntryFacts {
        writer.setCount(memberCount)
        return EntryFacts(written: writer.bytes, kind: kind)
    }

    private mutating func begin(_ name: MemberName) {
        memberCount += 1
        writer.name(name)
    }
}
