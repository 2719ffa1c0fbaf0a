// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Writes a unified document entry by entry to a sink. Entries that were read are written unchanged: names, order,
/// number text, nulls, raw values.
///
/// Entries must come section by section. Only the state of the punctuation is buffered, and secrets go to the sink
/// directly from their payload. Call ``finish(to:)`` at the end.
package struct DocumentWriter: ~Copyable {
    /// The layout of the document.
    package enum Style: Hashable, Sendable {
        /// Without white space.
        case compact
        /// One member per line, indented by four spaces per level.
        case indented
    }

    private let style: Style
    /// Text to be written next; never a secret.
    private var pending: [UInt8] = []
    private var isFirstSection = true
    private var isFirstEntry = true
    /// The open section.
    private var section: [UInt8]?
    private var closedSections: Set<[UInt8]> = []

    package init(style: Style = .compact) {
        self.style = style
        pending.append(ASCII.openBrace)
    }

    /// Writes one entry with the secrets of its payload.
    ///
    /// - Throws: `.schema(invalidEntry)` if the section was already closed, `.schema(malformedFacts)` if the payload
    ///   does not belong to the entry; errors of the sink.
    package mutating func write<Failure: Error>(
        _ facts: EntryFacts,
        payload: RawSpan,
        to sink: (RawSpan) throws(Failure) -> Void
    ) throws(DocumentError<Failure>) {
        let locations: [Range<Int>]
        do throws(SchemaError) {
            locations = facts.secretCount == 0 && payload.isEmpty ? [] : try SecretPayload.values(in: payload)
            guard locations.count == facts.secretCount else {
                throw SchemaError(.malformedFacts, at: 0, rule: "a payload does not contain the secrets of its entry")
            }
            try begin(facts)
        } catch {
            throw .schema(error)
        }
        guard var reader = facts.reader else { return }
        if facts.kind == .opaque {
            try emit(payload.extracting(locations[0]), to: sink)
            return
        }
        let level = 3
        pending.append(ASCII.openBrace)
        var secretIndex = 0
        var isFirst = true
        while let member = try? reader.next() {
            separate(isFirst, level)
            isFirst = false
            pending.append(ASCII.quote)
            if let name = member.name {
                pending.append(contentsOf: MemberNameTable.shared.bytes(of: name))
            } else if let name = member.unknownName {
                pending.append(reader.bytes.extracting(name.range))
            }
            pending.append(ASCII.quote)
            colon()
            switch member.form {
            case .secret:
                try emit(payload.extracting(locations[secretIndex]), to: sink)
                secretIndex += 1
            case .rawJSON:
                pending.append(reader.bytes.extracting(member.range))
            case .plainString, .escapedString:
                pending.append(ASCII.quote)
                pending.append(reader.bytes.extracting(member.range))
                pending.append(ASCII.quote)
            }
        }
        if !isFirst { newline(level - 1) }
        pending.append(ASCII.closeBrace)
        if pending.count >= 32 << 10 { try flush(to: sink) }
    }

    /// Closes the document and writes the rest to the sink.
    package mutating func finish<Failure: Error>(
        to sink: (RawSpan) throws(Failure) -> Void
    ) throws(DocumentError<Failure>) {
        closeSection()
        if !isFirstSection { newline(0) }
        pending.append(ASCII.closeBrace)
        if style == .indented { pending.append(ASCII.newline) }
        try flush(to: sink)
    }

    // MARK: - Sections

    /// Begins a section, which may stay empty. Throws if it was closed before.
    package mutating func open(_ section: DocumentSection) throws(SchemaError) {
        let identity = section.name.bytes.copied()
        if self.section == identity { return }
        closeSection()
        try separate(section: identity)
        pending.append(ASCII.quote)
        pending.append(section.name.bytes)
        pending.append(ASCII.quote)
        colon()
        self.section = identity
        isFirstEntry = true
        pending.append(ASCII.openBrace)
    }

    private mutating func separate(section identity: [UInt8]) throws(SchemaError) {
        guard closedSections.insert(identity).inserted else {
            throw SchemaError(.invalidEntry, at: 0, rule: "the entries of a section must be consecutive")
        }
        separate(isFirstSection, 1)
        isFirstSection = false
    }

    private mutating func begin(_ facts: EntryFacts) throws(SchemaError) {
        guard let reader = facts.reader else { return }
        let identity = facts.sectionBytes
        if section != identity || reader.key == nil {
            closeSection()
            try separate(section: identity)
            appendName(reader.sectionName, known: reader.section, reader.bytes)
            guard reader.key != nil else { return }
            section = identity
            isFirstEntry = true
            pending.append(ASCII.openBrace)
        }
        separate(isFirstEntry, 2)
        isFirstEntry = false
        appendName(reader.key, known: nil, reader.bytes)
    }

    private mutating func appendName(_ name: FactsReader.Name?, known: DocumentSection?, _ bytes: RawSpan) {
        pending.append(ASCII.quote)
        if let known { pending.append(known.name.bytes) }
        if let name { pending.append(bytes.extracting(name.range)) }
        pending.append(ASCII.quote)
        colon()
    }

    private mutating func closeSection() {
        guard section != nil else { return }
        section = nil
        newline(1)
        pending.append(ASCII.closeBrace)
    }

    // MARK: - Punctuation

    private mutating func separate(_ isFirst: Bool, _ level: Int) {
        if !isFirst { pending.append(ASCII.comma) }
        newline(level)
    }

    private mutating func colon() {
        pending.append(ASCII.colon)
        if style == .indented { pending.append(ASCII.space) }
    }

    private mutating func newline(_ level: Int) {
        guard style == .indented else { return }
        pending.append(ASCII.newline)
        pending.append(contentsOf: repeatElement(ASCII.space, count: 4 * level))
    }

    // MARK: - The sink

    private mutating func emit<Failure: Error>(
        _ secret: RawSpan,
        to sink: (RawSpan) throws(Failure) -> Void
    ) throws(DocumentError<Failure>) {
        try flush(to: sink)
        do throws(Failure) {
            try sink(secret)
        } catch {
            throw .transport(error)
        }
    }

    private mutating func flush<Failure: Error>(
        to sink: (RawSpan) throws(Failure) -> Void
    ) throws(DocumentError<Failure>) {
        do throws(Failure) {
            try sink(pending.rawSpan)
        } catch {
            throw .transport(error)
        }
        pending.removeAll(keepingCapacity: true)
    }
}
