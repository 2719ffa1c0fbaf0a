// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// What the group knows of authorities: the issuers at which users signed in, and the clients of protected resources. An
/// internal record, one for the group.
///
/// No stored client is trusted: a caller that reads one checks it as if a server had just sent it.
package struct StoredAuthorities: Hashable, Sendable {
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
    /// The maximum size of a resource's client, in bytes.
    static let resourceByteLimit = 8 << 10

    private var signIns: [SignIn] = []
    /// The clients of protected resources (RFC 9728), newest last: objects with the member `resource`, and others that only
    /// the module that gets tokens reads.
    private(set) var resources: [JSONValue] = []

    init() {}

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/authorities``. Invalid elements are omitted.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        let record = try InternalRecordFacts(decoding: bytes)
        guard let json = record[bytes: .authorities], let list = try? JSONValue(parsing: json.rawSpan) else { return }
        // Earlier versions kept metadata here, too, before the rest.
        let elements = list.elements.filter { $0["document"] == nil }.prefix(Self.signInLimit + Self.resourceLimit)
        resources = elements.filter { $0["resource"]?.text != nil }
        signIns = elements.compactMap { element in
            guard let client = element["client_id"]?.text?.string, let uri = element["redirect_uri"]?.text?.string,
                let issuer = element["issuer"]?.text?.string
            else { return nil }
            return SignIn(client: client, redirectURI: uri, issuer: issuer)
        }
    }

    package func encoded() -> [UInt8] {
        var json: [UInt8] = []
        JSONValue.array(signIns.map(Self.json) + resources).write(to: &json)
        var record = InternalRecordFacts()
        record[bytes: .authorities] = json
        return record.encoded()
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

    private static func json(_ signIn: SignIn) -> JSONValue {
        .object(of: ["client_id": signIn.client, "redirect_uri": signIn.redirectURI, "issuer": signIn.issuer])
    }
}

extension Engine {
    private func storedAuthorities() throws(StorageError) -> StoredAuthorities {
        try checkProcess()
        let deadline = newDeadline()
        _ = try freshen(ClockReading.now(clock), until: deadline)
        let contents = try store.contents(of: groupPartition, until: deadline)
        return try PartitionEntries(contents, codec: codec, where: \.isOfAuthorities).storedAuthorities
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
            let stored = try transaction.entries(of: groupPartition, where: \.isOfAuthorities).storedAuthorities
            guard let changed = changed(stored) else { return }
            try transaction.put(
                changed.encoded(),
                kind: .authorities,
                tag: try codec.authoritiesTag(),
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
        var bytes: [UInt8] = []
        resource.write(to: &bytes)
        guard bytes.count <= StoredAuthorities.resourceByteLimit else {
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
}
