// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Section and key of an entry while it is read, as contents of JSON strings.
struct EntryLocation {
    /// The section, if it is a known one.
    let section: DocumentSection?
    /// The name of the section; used only if it is unknown.
    let sectionName: Content
    let key: Key

    /// The content of a string without its quotes, independent of the source.
    struct Content {
        let bytes: [UInt8]
        let hasEscapes: Bool
    }

    enum Key {
        case none
        /// In the bytes that the entry is read from.
        case inSource(JSONScanner.StringRange)
        case apart(Content)
    }

    var hasKey: Bool {
        if case .none = key { return false }
        return true
    }

    var keyByteCount: Int {
        switch key {
        case .none: 0
        case .inSource(let location): location.range.count
        case .apart(let content): content.bytes.count
        }
    }
}

extension JSONString {
    /// The content between the quotes when `text` is written.
    static func quotedContent(_ text: UTF8Text) -> EntryLocation.Content {
        if isPlain(text.bytes) { return EntryLocation.Content(bytes: text.bytes.copied(), hasEscapes: false) }
        var bytes: [UInt8] = []
        appendEscaped(text.bytes, to: &bytes)
        return EntryLocation.Content(bytes: bytes, hasEscapes: true)
    }
}

extension FactsWriter {
    mutating func location(_ location: EntryLocation, in source: RawSpan) {
        if let section = location.section {
            self.section(section)
        } else {
            section(content: location.sectionName.bytes.rawSpan, hasEscapes: location.sectionName.hasEscapes)
        }
        switch location.key {
        case .none: noKey()
        case .inSource(let location): key(content: source.extracting(location.range), hasEscapes: location.hasEscapes)
        case .apart(let content): key(content: content.bytes.rawSpan, hasEscapes: content.hasEscapes)
        }
    }
}
