// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// What the group knows of authorities: the metadata that its processes requested in the last day, the issuers at which users
/// signed in, and the clients of protected resources. An internal record, one for the group.
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

    /// The maximum number of sign-ins; beyond it the oldest are removed.
    static let signInLimit = 64

    /// An issuer at which users signed in to a client, with a redirect URI.
    struct SignIn: Hashable, Sendable {
        /// The client, folded.
        let client: String
        let redirectURI: String
        let issuer: String
    }

    /// The maximum number of protected resources; beyond it the oldest are removed.
    static let resourceLimit = 64

    private var documents: [Document] = []
    private var signIns: [SignIn] = []
    /// The clients of protected resources (RFC 9728), newest last: objects with the member `resource`, and others that only
    /// the module that gets tokens reads.
    private(set) var resources: [JSONValue] = []

    init() {}

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/authorityMetadata``. Invalid documents are omitted.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        let record = try InternalRecordFacts(decoding: bytes)
        guard let json = record[bytes: .authorities], let list = try? JSONValue(parsing: json.rawSpan) else { return }
        let elements = list.elements.prefix(Self.limit + Self.signInLimit + Self.resourceLimit)
        resources = elements.filter { $0["resource"]?.text != nil }
        signIns = elements.compactMap { element in
            guard let client = element["client_id"]?.text?.string, let uri = element["redirect_uri"]?.text?.string,
                let issuer = element["issuer"]?.text?.string
            else { return nil }
            return SignIn(client: client, redirectURI: uri, issuer: issuer)
        }
        documents = elements.compactMap { element in
            guard let url = element["url"]?.text?.string, let receivedOn = element["received_on"]?.seconds,
                let document = element["document"]
            else { return nil }
            return Document(url: url, receivedOn: receivedOn, json: document)
        }
    }

    package func encoded() -> [UInt8] {
        var json: [UInt8] = []
        JSONValue.array(documents.map(Self.json) + signIns.map(Self.json) + resources).write(to: &json)
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
        var stored = self
        stored.documents = documents.filter { $0.counts(at: now) && $0.url != url }
        stored.documents.append(Document(url: url, receivedOn: now, json: json))
        stored.documents = Array(stored.documents.suffix(Self.limit))
        return stored
    }

    /// The record without the document of a URL; nil if it has none.
    func removing(documentAt url: String) -> StoredAuthorities? {
        guard documents.contains(where: { $0.url == url }) else { return nil }
        var stored = self
        stored.documents.removeAll { $0.url == url }
        return stored
    }

    /// The issuers of the sign-ins to a client with a redirect URI.
    func issuers(of client: String, redirectURI: String) -> [String] {
        signIns.filter { $0.client == client && $0.redirectURI == redirectURI }.map(\.issuer)
    }

    /// The record with a sign-in; nil if it already has it.
    func adding(_ signIn: SignIn) -> StoredAuthorities? {
        guard !signIns.contains(signIn) else { return nil }
        var stored = self
        stored.signIns = Array((signIns + [signIn]).suffix(Self.signInLimit))
        return stored
    }

    /// The record with the client of a resource, which replaces an earlier one of the same resource; but a client with which
    /// nobody has signed in, and which has no `scope`, replaces none with which somebody has.
    func adding(resource: JSONValue) -> StoredAuthorities {
        var stored = self
        stored.resources.removeAll {
            $0["resource"] == resource["resource"] && ($0["scope"] == nil || resource["scope"] != nil)
        }
        stored.resources.append(resource)
        stored.resources = stored.resources.suffix(Self.resourceLimit)
        return stored
    }

    static func byteCount(_ json: JSONValue) -> Int {
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        return bytes.count
    }

    private static func json(_ signIn: SignIn) -> JSONValue {
        .object(of: ["client_id": signIn.client, "redirect_uri": signIn.redirectURI, "issuer": signIn.issuer])
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
        try storedAuthorities().document(at: url, now: clock.now().secondsSince1970)
    }

    private func storedAuthorities() throws(StorageError) -> StoredAuthorities {
        try checkProcess()
        let deadline = newDeadline()
        _ = try freshen(ClockReading.now(clock), until: deadline)
        let contents = try store.contents(of: groupPartition, until: deadline)
        return try PartitionEntries(contents, codec: codec, where: \.isAuthorityMetadata).storedAuthorities
    }

    /// The issuers at which users signed in to this client with a redirect URI.
    func issuers(redirectURI: String) throws(StorageError) -> [String] {
        try storedAuthorities().issuers(of: foldedClient, redirectURI: redirectURI)
    }

    /// Records that a user signed in to this client.
    func noteSignIn(at issuer: String, redirectURI: String) throws(StorageError) {
        let signIn = StoredAuthorities.SignIn(client: foldedClient, redirectURI: redirectURI, issuer: issuer)
        try changeAuthorities { $0.adding(signIn) }
    }

    /// Replaces the record with what `changed` makes of it, unless that is nil.
    private func changeAuthorities(_ changed: (StoredAuthorities) -> StoredAuthorities?) throws(StorageError) {
        try change(until: newDeadline()) { (transaction) throws(StorageError) in
            let stored = try transaction.entries(of: groupPartition, where: \.isAuthorityMetadata).storedAuthorities
            guard let changed = changed(stored) else { return }
            try transaction.put(
                changed.encoded(),
                kind: .authorityMetadata,
                tag: try codec.authorityMetadataTag(),
                in: groupPartition
            )
        }
    }

    /// The clients of all protected resources, newest last.
    func resources() throws(StorageError) -> [JSONValue] { try storedAuthorities().resources }

    /// Keeps the client of a protected resource, unless the group keeps one that is enough.
    ///
    /// - Returns: what is kept.
    /// - Throws: `invalidRequest` if it is too large, which would leave no space for others; the errors of every change.
    func keep(resource: JSONValue, unless isEnough: (JSONValue) -> Bool) throws(StorageError) -> JSONValue {
        guard StoredAuthorities.byteCount(resource) <= StoredAuthorities.documentByteLimit else {
            throw StorageError(.invalidRequest, detail: "the client of the resource is too large")
        }
        var kept = resource
        try changeAuthorities { stored in
            let other = stored.resources.last(where: isEnough)
            kept = other ?? resource
            return other == nil ? stored.adding(resource: resource) : nil
        }
        return kept
    }

    /// Stores the metadata of an authority for the other processes of the group, unless it is too large.
    func storeMetadata(_ json: JSONValue, at url: String) throws(StorageError) {
        guard StoredAuthorities.byteCount(json) + url.utf8.count <= StoredAuthorities.documentByteLimit else { return }
        let now = clock.now().secondsSince1970
        try changeAuthorities { $0.adding(json, at: url, now: now) }
    }

    /// Removes the metadata of an authority.
    func removeMetadata(at url: String) throws(StorageError) {
        try changeAuthorities { $0.removing(documentAt: url) }
    }
}
