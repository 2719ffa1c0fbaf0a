// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension EntryFacts {
    /// Whether facts may begin with these bytes, judging by their version and kind.
    package static func mayBegin(_ start: [UInt8]) -> Bool {
        guard let version = start.first, let head = FactsFormat.headByteCount(version: version) else { return false }
        return start.count > head && EntryKind(rawValue: start[head]) != nil
    }

    /// The length of facts that begin with these bytes, from their counts and lengths alone; nil if more bytes are
    /// needed. `init(decoding:)` checks whether they are valid.
    ///
    /// - Throws: `malformedFacts` if no facts begin this way.
    package static func byteCount(startingWith start: [UInt8]) throws(SchemaError) -> Int? {
        guard let version = start.first else { return nil }
        guard let head = FactsFormat.headByteCount(version: version) else { throw malformed(0) }
        guard start.count >= head + 4 else { return nil }
        guard EntryKind(rawValue: start[head]) != nil else { throw malformed(head) }
        var meter = FactsMeter(bytes: start, position: head + 2)
        let section = start[head + 1]
        if section == FactsFormat.plainSection || section == FactsFormat.escapedSection {
            guard let count = try meter.varint() else { return nil }
            meter.position += count
        } else if DocumentSection(rawValue: section) == nil {
            throw malformed(head + 1)
        }
        guard let number = meter.byte() else { return nil }
        guard let form = FactsFormat.KeyForm(rawValue: number) else { throw malformed(meter.position) }
        if form != .none {
            guard let count = try meter.varint() else { return nil }
            meter.position += count
        }
        guard var remaining = try meter.varint() else { return nil }
        while remaining > 0 {
            remaining -= 1
            guard try meter.skipMember() else { return nil }
        }
        return meter.position
    }

    fileprivate static func malformed(_ position: Int) -> SchemaError {
        SchemaError(.malformedFacts, at: position, rule: "the facts are malformed")
    }
}

/// Skips through the start of encoded facts by their lengths.
private struct FactsMeter {
    let bytes: [UInt8]
    /// May be past the last available byte.
    var position: Int

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func varint() throws(SchemaError) -> Int? {
        let start = position
        var end = position
        let value = Varint.read(bytes.rawSpan, at: &end)
        position = end
        if let value { return value }
        // More bytes may complete it.
        if position >= bytes.count, position - start < 5 { return nil }
        throw EntryFacts.malformed(position)
    }

    /// - Returns: false if more bytes are needed.
    mutating func skipMember() throws(SchemaError) -> Bool {
        guard let number = byte() else { return false }
        if number == 0 {
            guard let head = try varint() else { return false }
            position += head >> 1
        } else if MemberName(rawValue: number) == nil {
            throw EntryFacts.malformed(position)
        }
        guard let head = try varint() else { return false }
        guard let form = FactsFormat.ValueForm(rawValue: head & 3) else {
            throw EntryFacts.malformed(position)
        }
        switch form {
        case .secret where head >> 2 != 0: throw EntryFacts.malformed(position)
        case .rawJSON where head >> 2 == 0: throw EntryFacts.malformed(position)
        default: position += head >> 2
        }
        return true
    }
}
