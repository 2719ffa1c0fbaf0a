/// Section and key of an entry while it is read, as contents of JSON strings.
struct EntryPlace {
    let section: DocumentSection?
    let sectionContent: Content
    let keyContent: Content?

    struct Content {
        let bytes: [UInt8]
        let hasEscapes: Bool
    }
}

extension JSONString {
    /// What stands between the quotes when `text` is written.
    static func quotedContent(_ text: UTF8Text) -> EntryPlace.Content {
        if isPlain(text.bytes) { return EntryPlace.Content(bytes: text.bytes.copied(), hasEscapes: false) }
        var bytes: [UInt8] = []
        appendEscaped(text.bytes, to: &bytes)
        return EntryPlace.Content(bytes: bytes, hasEscapes: true)
    }
}
