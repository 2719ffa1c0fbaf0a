// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Builds the encoded form of facts.
struct FactsWriter {
    private(set) var bytes: [UInt8] = []
    /// The position at which the number of members is written once it is known.
    private var countOffset = 0

    init(kind: EntryKind, reserving capacity: Int) {
        bytes.reserveCapacity(capacity)
        bytes.append(FactsFormat.version)
        // The position is known only when the entry is stored.
        bytes.append(contentsOf: repeatElement(0, count: FactsFormat.headByteCount - 1))
        bytes.append(kind.rawValue)
    }

    /// Records that the secret of the credential is no token.
    mutating func setWithoutToken() {
        bytes[FactsFormat.headByteCount] |= EntryKind.withoutToken
    }

    /// Writes the section. Call this first.
    mutating func section(_ section: DocumentSection) {
        bytes.append(section.rawValue)
    }

    /// Writes the section, given the content of its name's JSON string. Call this first.
    mutating func section(content: RawSpan, hasEscapes: Bool) {
        if !hasEscapes, let known = DocumentSection(nameBytes: content) { return section(known) }
        bytes.append(hasEscapes ? FactsFormat.escapedSection : FactsFormat.plainSection)
        text(content)
    }

    /// Writes the key, given the content of its JSON string. Call this second.
    mutating func key(content: RawSpan, hasEscapes: Bool) {
        bytes.append((hasEscapes ? FactsFormat.KeyForm.escaped : .plain).rawValue)
        text(content)
    }

    /// Writes that there is no key. Call this second.
    mutating func noKey() {
        bytes.append(FactsFormat.KeyForm.none.rawValue)
    }

    /// Writes the number of members. Call this third.
    mutating func memberCount(_ count: Int) {
        bytes.append(varint: count)
    }

    /// Leaves room for the number of members, which ``setCount(_:)`` writes at the end. Call this third.
    mutating func countLater() {
        countOffset = bytes.count
        bytes.append(0)
    }

    /// Writes the number of members, if ``countLater()`` left room for it: at most 127.
    mutating func setCount(_ count: Int) {
        precondition(count < 0x80, "the number of known members must fit into one byte")
        bytes[countOffset] = UInt8(count)
    }

    mutating func name(_ name: MemberName) {
        bytes.append(name.rawValue)
    }

    /// The content of the JSON string of a name that has no number.
    mutating func name(content: RawSpan, hasEscapes: Bool) {
        bytes.append(0)
        bytes.append(varint: content.byteCount << 1 | (hasEscapes ? 1 : 0))
        bytes.append(content)
    }

    mutating func secretValue() {
        bytes.append(UInt8(FactsFormat.ValueForm.secret.rawValue))
    }

    mutating func value(_ form: FactsFormat.ValueForm, _ content: RawSpan) {
        bytes.append(varint: content.byteCount << 2 | form.rawValue)
        bytes.append(content)
    }

    /// A number as decimal text.
    mutating func decimal(_ number: Int64) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = number.magnitude
        repeat {
            start -= 1
            digits[start] = ASCII.zero + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            start -= 1
            digits[start] = ASCII.minus
        }
        bytes.append(varint: (digits.count - start) << 2 | FactsFormat.ValueForm.plainString.rawValue)
        // SAFETY: a byte has no padding.
        bytes.append(unsafe digits.span.extracting(start...).bytes)
    }

    private mutating func text(_ content: RawSpan) {
        bytes.append(varint: content.byteCount)
        bytes.append(content)
    }
}
