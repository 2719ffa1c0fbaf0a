// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// What a client was handed, as far as a merge needs it: versions of records and hashes of entries, no content.
///
/// Hashes of facts and fields are those of Swift, which differ from process to process; the numbers of tokens are keyed
/// hashes of the group, so that they can be compared with those in the records of removals.
struct DocumentBase: Sendable {
    /// One entry, by the tag of its key.
    struct Entry: Sendable {
        /// The record that it was read from or written to.
        var tag: RecordTag
        let partition: PartitionTag
        /// The transaction that wrote the record; 0 if the group does not have the entry.
        var sequence: UInt64
        let content: Content
    }

    /// What the client's document says.
    struct Content: Sendable {
        let kind: EntryKind
        /// Whether it is a credential of the client, rather than a token of its family.
        let isOwn: Bool
        /// The cloud of its environment.
        let cloud: Int
        /// Equal for entries that an import would consider the same; nil for those that are never the same.
        let identity: Int?
        let facts: Int
        /// The number of its token; for an opaque entry, of all of it.
        let token: UInt64?
        /// The hashes of the values of an account's or an application's members, by those of their names.
        let members: [Int: Int]

        init(_ facts: EntryFacts, _ fields: CredentialFields, token: UInt64?, client: UTF8Text, clouds: CloudTable) {
            kind = facts.kind
            isOwn = facts.kind.isCredential && fields.clientID == client
            cloud = clouds.preferredCacheHost(for: fields.environment).hashValue
            identity = EntryIdentity(facts, fields, clouds: clouds)?.hashValue
            self.facts = facts.hashValue
            self.token = token
            members =
                facts.kind.isMergedByMember
                ? Dictionary(
                    facts.comparableMembers.map { ($0.name.hashValue, $0.value.hashValue) },
                    uniquingKeysWith: { $1 }
                )
                : [:]
        }

        /// Whether it is the same entry, as it was written.
        func isEqual(to other: Content) -> Bool { facts == other.facts && token == other.token }

        /// Whether an edited document that lacks it means that it was removed: every library keeps the others.
        var isRemovable: Bool {
            isOwn && (kind.isAccessToken || kind.isPlainRefreshToken || kind.isIDToken) || kind == .account
        }
    }

    var entries: [RecordTag: Entry] = [:]
    /// The newest transaction of the group that the client has seen.
    let sequence: UInt64
    /// The same for accounts to which the client was signed in by a merge.
    private var sequences: [PartitionTag: UInt64] = [:]
    /// The numbers of the tokens that earlier merges removed, by the partition of their account.
    private(set) var removedTokens: [PartitionTag: [UInt64]] = [:]

    init(sequence: UInt64) {
        self.sequence = sequence
    }

    func sequence(of partition: PartitionTag) -> UInt64 { sequences[partition] ?? sequence }

    mutating func noteSignIn(_ partition: PartitionTag, in sequence: UInt64) { sequences[partition] = sequence }

    mutating func noteRemoval(of token: UInt64?, in partition: PartitionTag) {
        if let token { removedTokens[partition, default: []].append(token) }
    }

    mutating func noteSignOut(_ partition: PartitionTag) { removedTokens[partition] = nil }
}

extension EntryKind {
    /// Whether several programs edit such an entry, each some of its members.
    var isMergedByMember: Bool { self == .account || self == .appMetadata }
}

extension RecordCodec {
    /// The number of an entry's token; for an opaque entry, of all of it.
    func number(of facts: EntryFacts, payload: RawSpan) throws(StorageError) -> UInt64? {
        if payload.isEmpty { return nil }
        if facts.kind == .opaque {
            let sealer = try unlockedKeys.tagSealer()
            return try sealing(try sealer.leaseNumber(kind: 4, secret: payload))
        }
        return try tokenNumber(in: payload)
    }
}
