// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// A document that a client edited, read completely before anything is compared. Its secrets stay where they are.
struct EditedDocument {
    struct Entry {
        let facts: EntryFacts
        let fields: CredentialFields
        let secrets: SecretRanges
        /// The tag of its section and key.
        let keyTag: RecordTag
        let content: DocumentBase.Content
        /// Whether it is an entry of unknown form that names the client.
        let namesClient: Bool
    }

    private(set) var entries: [Entry] = []
    /// Whether it is no document at all: without a section, known or not.
    private(set) var isEmpty = true

    /// - Throws: `malformedDocument` for anything else than a cache; `tooLarge`, `forkedProcess`, `outOfMemory`.
    init(
        _ document: RawSpan,
        client: UTF8Text,
        codec: RecordCodec,
        clouds: CloudTable
    ) throws(StorageError) {
        if document.trimmed().isEmpty { return }
        var read: [DocumentEntry] = []
        var issuers = DocumentIssuers(clouds: clouds)
        var reader = DocumentReader()
        reading: while true {
            let step: DocumentReader.Step
            do throws(SchemaError) {
                step = try reader.next(in: document, isLast: true)
            } catch {
                throw StorageError(document: error)
            }
            switch step {
            case .entry(let entry):
                try issuers.note(entry.facts, entry.secrets, in: document)
                read.append(entry)
            case .bad(let error): throw StorageError(document: error)
            case .needsMore, .end: break reading
            }
        }
        let hasSection = reader.hasKnownSection || read.contains { $0.facts.section != nil }
        isEmpty = read.isEmpty && !hasSection
        guard isEmpty || hasSection else {
            throw StorageError(.malformedDocument, detail: "the document has no section of a token cache")
        }
        entries.reserveCapacity(read.count)
        var pool = FieldPool()
        for entry in read {
            let value = entry.facts.kind == .opaque ? entry.secrets.ranges.first : nil
            let token = try Self.number(of: entry, in: document, codec)
            for facts in try issuers.assigned(entry.facts, entry.secrets, in: document) {
                let fields = CredentialFields(facts, sharing: &pool)
                entries.append(
                    Entry(
                        facts: facts,
                        fields: fields,
                        secrets: entry.secrets,
                        keyTag: try codec.tag(ofKeyOf: facts),
                        content: .init(facts, fields, token: token, client: client, clouds: clouds),
                        namesClient: value.map { OpaqueEntry.names(client, in: document.extracting($0)) } ?? false
                    )
                )
            }
        }
    }

    private static func number(
        of entry: DocumentEntry,
        in document: RawSpan,
        _ codec: RecordCodec
    ) throws(StorageError) -> UInt64? {
        if entry.secrets.isEmpty { return nil }
        let payload = try payload(entry.secrets, in: document)
        return try codec.number(of: entry.facts, payload: payload.bytes)
    }

    /// The secrets of an entry as they are sealed.
    static func payload(_ secrets: SecretRanges, in document: RawSpan) throws(StorageError) -> SecretBytes {
        try sealing(
            try SecretBytes(byteCount: SecretPayload.byteCount(secrets)) { output in
                SecretPayload.write(secrets, of: document, into: &output)
            }
        )
    }

    /// Whether it has exactly the entries that the client was handed.
    func isUnchanged(since base: DocumentBase) -> Bool {
        entries.count == base.entries.count
            && entries.allSatisfy { base.entries[$0.keyTag]?.content.isEqual(to: $0.content) == true }
    }
}
