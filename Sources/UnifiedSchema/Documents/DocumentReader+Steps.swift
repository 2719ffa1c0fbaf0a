// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension DocumentReader {
    /// Takes one step through the document. If it throws `unexpectedEnd`, nothing has changed, so it can be repeated.
    mutating func advance(_ window: RawSpan, _ isLast: Bool) throws(SchemaError) -> Step? {
        if case .skipping(let skipper, let inSection, let error) = phase {
            return try skip(window, skipper: skipper, inSection: inSection, error: error, isLast: isLast)
        }
        var scanner = JSONScanner(window, from: position, maximumDepth: limits.depth)
        swap(&scanner.names, &names)
        defer {
            swap(&scanner.names, &names)
            names.removeAll()
            if scanner.sawNewline { sawNewline = true }
        }
        scanner.skipWhitespace()
        position = scanner.position
        switch phase {
        case .beforeDocument:
            try beginDocument(&scanner)
        case .firstSection, .nextSection:
            return try nextSection(&scanner)
        case .firstEntry, .nextEntry:
            return try nextEntry(&scanner)
        case .firstItem, .nextItem:
            return try nextItem(&scanner)
        case .skipping:
            break
        case .behindDocument:
            guard position == window.byteCount else { throw scanner.malformed("nothing may follow the document") }
            if !isLast { throw scanner.endOfInput() }
            return .end
        }
        return nil
    }

    private mutating func beginDocument(_ scanner: inout JSONScanner) throws(SchemaError) {
        let byte = try scanner.peek()
        if let rule = DocumentEncoding.defect(of: scanner.bytes) {
            throw SchemaError(.malformedJSON, at: 0, rule: rule)
        }
        switch form {
        case .unified:
            guard byte == ASCII.openBrace else {
                throw SchemaError(.notAnObject, at: scanner.position, rule: "the document must be an object")
            }
            phase = .firstSection
        case .adal:
            guard byte == ASCII.openBracket else {
                throw SchemaError(.notAnArray, at: scanner.position, rule: "an ADAL cache must be an array")
            }
            hasKnownSection = true
            phase = .firstItem
        }
        position = scanner.position + 1
    }

    /// Consumes a comma or the closing brace of the object whose members are being read.
    ///
    /// - Returns: false after the closing brace.
    private func hasMember(_ scanner: inout JSONScanner, isFirst: Bool) throws(SchemaError) -> Bool {
        if isFirst { return try !scanner.take(ASCII.closeBrace) }
        return try scanner.nextMember(closing: ASCII.closeBrace)
    }

    // MARK: - Sections

    private mutating func nextSection(_ scanner: inout JSONScanner) throws(SchemaError) -> Step? {
        let isFirst = if case .firstSection = phase { true } else { false }
        guard try hasMember(&scanner, isFirst: isFirst) else {
            position = scanner.position
            phase = .behindDocument
            return nil
        }
        let name = try self.name(&scanner, "the name of a section")
        let nameBytes = scanner.bytes.extracting(name.range).copied()
        let content = EntryLocation.Content(bytes: nameBytes, hasEscapes: name.hasEscapes)
        let identity = JSONString.identity(of: content.bytes.rawSpan, hasEscapes: content.hasEscapes)
        let known = DocumentSection(nameBytes: identity.rawSpan)
        let opening = try scanner.peek()
        let start = scanner.position
        let isEmptyObject = opening == ASCII.openBrace ? try isEmptyObject(scanner) : false
        guard !sectionNames.contains(identity.rawSpan.spreadHash()) else {
            let rule = "a section occurs twice in the document"
            return try refuse(SchemaError(.duplicateName, at: start, rule: rule), valueAt: start, inSection: false)
        }
        section = EntryLocation(section: known, sectionName: content, key: .none)
        if opening == ASCII.openBrace, !isEmptyObject {
            sectionNames.insert(identity.rawSpan.spreadHash())
            keys = SpreadHashSet()
            position = start + 1
            phase = .firstEntry
            return nil
        }
        // An empty section has no entries, and null means that there is no section.
        if known != nil, isEmptyObject || opening == UInt8(ascii: "n") {
            guard try wholeValue(&scanner, depth: 2) != nil else { throw tooLong(start) }
            sectionNames.insert(identity.rawSpan.spreadHash())
            if isEmptyObject { hasKnownSection = true }
            position = scanner.position
            phase = .nextSection
            return nil
        }
        if known != nil { hasKnownSection = true }
        if !isEmptyObject, known?.isCommon == true {
            sectionNames.insert(identity.rawSpan.spreadHash())
            let error = SchemaError(.notAnObject, at: start, rule: "a section must be an object")
            return try refuse(error, valueAt: start, inSection: false)
        }
        do throws(SchemaError) {
            guard let range = try wholeValue(&scanner, depth: 2) else { throw tooLong(start) }
            sectionNames.insert(identity.rawSpan.spreadHash())
            position = scanner.position
            phase = .nextSection
            return .entry(entry(EntryMembers.opaque(scanner.bytes, range, at: section), start))
        } catch {
            guard error.concernsOneEntry else { throw error }
            sectionNames.insert(identity.rawSpan.spreadHash())
            return try refuse(error, valueAt: start, inSection: false)
        }
    }

    private func isEmptyObject(_ scanner: borrowing JSONScanner) throws(SchemaError) -> Bool {
        var ahead = JSONScanner(scanner.bytes, from: scanner.position + 1, maximumDepth: limits.depth)
        return try ahead.peek() == ASCII.closeBrace
    }

    // MARK: - Entries

    private mutating func nextEntry(_ scanner: inout JSONScanner) throws(SchemaError) -> Step? {
        let isFirst = if case .firstEntry = phase { true } else { false }
        guard try hasMember(&scanner, isFirst: isFirst) else {
            position = scanner.position
            phase = .nextSection
            return nil
        }
        let key = try name(&scanner, "a key")
        let hash = keyHash(key, in: scanner.bytes)
        let opening = try scanner.peek()
        let start = scanner.position
        guard !keys.contains(hash) else {
            let error = SchemaError(.duplicateName, at: start, rule: "a key occurs twice in one section")
            return try refuse(error, valueAt: start, inSection: true)
        }
        do throws(SchemaError) {
            guard let result = try entry(&scanner, at: section.with(key: key), opening) else { throw tooLong(start) }
            keys.insert(hash)
            position = scanner.position
            phase = .nextEntry
            return .entry(entry(result, start))
        } catch {
            guard error.concernsOneEntry else { throw error }
            keys.insert(hash)
            return try refuse(error, valueAt: start, inSection: true)
        }
    }

    /// Reads the value of an entry; nil if it is too long.
    private mutating func entry(
        _ scanner: inout JSONScanner,
        at location: EntryLocation,
        _ opening: UInt8
    ) throws(SchemaError) -> ParsedEntry? {
        let isKnown = location.section.map { $0.isCommon || opening == ASCII.openBrace } ?? false
        guard isKnown else {
            return try wholeValue(&scanner, depth: 3).map {
                EntryMembers.opaque(scanner.bytes, $0, at: location)
            }
        }
        let start = scanner.position
        do throws(SchemaError) {
            let range = try EntryMembers.scan(&scanner, depth: 3, into: &scratch)
            guard range.count <= limits.entryBytes else { return nil }
            return EntryMembers.assemble(scanner.bytes, range: range, members: scratch, at: location)
        } catch {
            if error.code == .unexpectedEnd, isTooLong(scanner.bytes, from: start) { return nil }
            throw error
        }
    }

    /// Steps over a value of any form; nil if it is too long.
    private func wholeValue(
        _ scanner: inout JSONScanner,
        depth: Int
    ) throws(SchemaError) -> Range<Int>? {
        let start = scanner.position
        do throws(SchemaError) {
            _ = try scanner.value(depth: depth)
            // Peeking shows that a number is complete.
            let end = scanner.position
            _ = try scanner.peek()
            scanner.position = end
            return end - start <= limits.entryBytes ? start..<end : nil
        } catch {
            if error.code == .unexpectedEnd, isTooLong(scanner.bytes, from: start) { return nil }
            throw error
        }
    }

    // MARK: - Items of ADAL

    private mutating func nextItem(_ scanner: inout JSONScanner) throws(SchemaError) -> Step? {
        let isFirst = if case .firstItem = phase { true } else { false }
        let hasItem =
            if isFirst {
                try !scanner.take(ASCII.closeBracket)
            } else {
                try scanner.nextMember(closing: ASCII.closeBracket)
            }
        guard hasItem else {
            position = scanner.position
            phase = .behindDocument
            return nil
        }
        _ = try scanner.peek()
        let start = scanner.position
        do throws(SchemaError) {
            guard let result = try item(&scanner) else { throw tooLong(start) }
            let identity = result.facts.keyBytes ?? []
            guard keys.insert(identity.rawSpan.spreadHash()) else {
                throw SchemaError(.duplicateName, at: start, rule: "a token occurs twice in the document")
            }
            position = scanner.position
            phase = .nextItem
            return .entry(entry(result, start))
        } catch {
            guard error.concernsOneEntry else { throw error }
            return try refuse(error, valueAt: start, inSection: true)
        }
    }

    /// Reads an item of ADAL; nil if it is too long.
    private mutating func item(_ scanner: inout JSONScanner) throws(SchemaError) -> ParsedEntry? {
        let start = scanner.position
        do throws(SchemaError) {
            let range = try EntryMembers.scan(&scanner, depth: 2, into: &scratch)
            guard range.count <= limits.entryBytes else { return nil }
            return try LegacyItem.assemble(scanner.bytes, range: range, members: scratch)
        } catch {
            if error.code == .unexpectedEnd, isTooLong(scanner.bytes, from: start) { return nil }
            throw error
        }
    }

    // MARK: - Bad entries

    /// Throws the error, or starts to skip the value if bad entries are collected.
    private mutating func refuse(
        _ error: SchemaError,
        valueAt start: Int,
        inSection: Bool
    ) throws(SchemaError) -> Step? {
        guard collectsBadEntries else { throw error }
        position = start
        phase = .skipping(JSONSkipper(), inSection: inSection, error)
        return nil
    }

    private mutating func skip(
        _ window: RawSpan,
        skipper: JSONSkipper,
        inSection: Bool,
        error: SchemaError,
        isLast: Bool
    ) throws(SchemaError) -> Step? {
        var skipper = skipper
        sawNewline = true
        // The location of the error is computed while the window still contains it.
        let placed = error.line == nil ? self.placed(error, in: window) : error
        let end = try skipper.skip(window, from: position)
        let progress = end > position
        position = end
        if skipper.isDone {
            phase = form == .adal ? .nextItem : inSection ? .nextEntry : .nextSection
            return .bad(placed)
        }
        phase = .skipping(skipper, inSection: inSection, placed)
        if !progress, !isLast, window.byteCount - position >= longestUnit {
            throw SchemaError(.limitExceeded, at: position, rule: "a number or an escape is longer than the limit")
        }
        throw SchemaError(.unexpectedEnd, at: window.byteCount, rule: "the input ends in the middle of a value")
    }

    // MARK: - Helpers

    /// Consumes a name and its colon. The caller checks for duplicates, since there may be too many to list.
    private func name(_ scanner: inout JSONScanner, _ what: String) throws(SchemaError) -> JSONScanner.StringRange {
        guard try scanner.peek() == ASCII.quote else {
            throw scanner.malformed("the name of a member must be a string")
        }
        let start = scanner.position
        do throws(SchemaError) {
            let location = try scanner.string()
            if location.range.count <= limits.keyBytes {
                try scanner.expect(ASCII.colon, "a colon must follow the name of a member")
                return location
            }
        } catch {
            guard error.code == .unexpectedEnd, scanner.bytes.byteCount - start > limits.keyBytes + 4096 else {
                throw error
            }
        }
        throw SchemaError(.limitExceeded, at: start, rule: "\(what) is longer than \(limits.keyBytes) bytes")
    }

    private func keyHash(_ key: JSONScanner.StringRange, in bytes: RawSpan) -> UInt64 {
        let content = bytes.extracting(key.range)
        guard key.hasEscapes else { return content.spreadHash() }
        return JSONString.identity(of: content, hasEscapes: true).rawSpan.spreadHash()
    }

    private func isTooLong(_ bytes: RawSpan, from start: Int) -> Bool {
        bytes.byteCount - start > limits.entryBytes
    }

    private func tooLong(_ start: Int) -> SchemaError {
        SchemaError(.limitExceeded, at: start, rule: "an entry is longer than \(limits.entryBytes) bytes")
    }

    private func entry(_ result: ParsedEntry, _ start: Int) -> DocumentEntry {
        DocumentEntry(facts: result.facts, secrets: result.secrets, byteOffset: bytesBefore + start)
    }
}

extension SchemaError {
    /// Whether reading can continue after the entry.
    fileprivate var concernsOneEntry: Bool {
        switch code {
        case .notAnObject, .limitExceeded, .duplicateName, .invalidEntry: true
        default: false
        }
    }
}
