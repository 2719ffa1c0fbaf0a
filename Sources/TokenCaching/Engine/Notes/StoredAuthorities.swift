// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// The metadata of authorities that processes of the group requested in the last day: an internal record, one for the
/// group.
///
/// No document is trusted: a caller that reads one checks it as if a server had just sent it.
package struct StoredAuthorities: Hashable, Sendable {
    /// How long it is valid, in seconds.
    static let lifetime: Int64 = 24 * 3600
    /// The maximum number of authorities; beyond it the oldest are removed.
    static let limit = 16
    /// The maximum size of one document.
    static let documentByteLimit = 8 << 10

    /// A document, and when it was received.
    package struct Document: Hashable, Sendable {
        package let url: String
        package let receivedOn: Int64
        package let json: JSONValue

        func counts(at now: Int64) -> Bool { receivedOn <= now && now - receivedOn < StoredAuthorities.lifetime }
    }

    private var documents: [Document] = []

    init() {}

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/authorityMetadata``. Invalid documents are omitted.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        let record = try InternalRecordFacts(decoding: bytes)
        guard let json = record[bytes: .authorities], let list = try? JSONValue(parsing: json.rawSpan) else { return }
        documents = list.elements.prefix(Self.limit).compactMap { element in
            guard let url = element["url"]?.text?.string, let receivedOn = element["received_on"]?.seconds,
                let document = element["document"]
            else { return nil }
            return Document(url: url, receivedOn: receivedOn, json: document)
        }
    }

    package func encoded() -> [UInt8] {
        var json: [UInt8] = []
        JSONValue.array(documents.map(Self.json)).write(to: &json)
        var record = InternalRecordFacts()
        record[bytes: .authorities] = json
        return record.encoded()
    }

    /// The document of a URL, if it is valid now.
    func document(at url: String, now: Int64) -> Document? {
        documents.first { $0.url == url && $0.counts(at: now) }
    }

    /// The record with a document received now, which replaces one of the same URL, and without expired documents.
    func adding(_ json: JSONValue, at url: String, now: Int64) -> StoredAuthorities {
        var stored = StoredAuthorities()
        stored.documents = documents.filter { $0.counts(at: now) && $0.url != url }
        stored.documents.append(Document(url: url, receivedOn: now, json: json))
        stored.documents = Array(stored.documents.suffix(Self.limit))
        return stored
    }

    private static func json(_ document: Document) -> JSONValue {
        .object([
            JSONValue.Member(name: "url", value: .string(UTF8Text(document.url))),
            JSONValue.Member(name: "received_on", value: .number(UTF8Text(String(document.receivedOn)))),
            JSONValue.Member(name: "document", value: document.json),
        ])
    }
}

extension Engine {
    /// The metadata of an authority that a process of the group stored in the last day; nil if there is none.
    func storedMetadata(at url: String) throws(StorageError) -> StoredAuthorities.Document? {
        try checkProcess()
        let deadline = newDeadline()
        _ = try freshen(ClockReading.now(clock), until: deadline)
        let contents = try store.contents(of: groupPartition, until: deadline)
        return try PartitionEntries(contents, codec: codec, where: \.isAuthorityMetadata).storedAuthorities
            .document(at: url, now: clock.now().secondsSince1970)
    }

    /// Stores the metadata of an authority for the other processes of the group, unless it is too large.
    func storeMetadata(_ json: JSONValue, at url: String) throws(StorageError) {
        try checkProcess()
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        guard bytes.count + url.utf8.count <= StoredAuthorities.documentByteLimit else { return }
        let now = clock.now().secondsSince1970
        try change(until: newDeadline()) { (transaction) throws(StorageError) in
            let stored = try transaction.entries(of: groupPartition, where: \.isAuthorityMetadata).storedAuthorities
            try transaction.put(
                stored.adding(json, at: url, now: now).encoded(),
                kind: .authorityMetadata,
                tag: try codec.authorityMetadataTag(),
                in: groupPartition
            )
        }
    }
}
