// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing
package import UnifiedSchema

/// The opaque names under which an entry is stored.
package struct RecordAddress: Hashable, Sendable {
    /// The record: a keyed hash of the entry's section and key.
    package let tag: RecordTag
    /// The partition that the record is read with, usually the account's.
    package let partition: PartitionTag
    /// Other names under which the partition can be found.
    package let searchTags: [SearchTag]

    package init(tag: RecordTag, partition: PartitionTag, searchTags: [SearchTag]) {
        self.tag = tag
        self.partition = partition
        self.searchTags = searchTags
    }
}

extension RecordCodec {
    /// The address at which an entry is stored.
    ///
    /// - A home account id selects the account's partition. It is trimmed and A-Z are folded, so that every spelling
    ///   selects the same partition. With an issuer it is not folded.
    /// - Without one, a username selects a separate partition; without either, client and realm do (app-only tokens).
    /// - App metadata, account metadata and unknown entries are stored in the partition of the group.
    ///
    /// An account can be found by its username, and by those of its tenant profiles. Entries without a home account id
    /// that only people have can be found by their client, or by no client, so that an application's queries find what
    /// stands beside its tokens.
    ///
    /// - Throws: `keyMissing` if no epoch was unlocked yet, `forkedProcess`.
    package func address(of facts: EntryFacts) throws(StorageError) -> RecordAddress {
        try RecordCodec.address(of: facts, with: unlockedKeys.tagSealer())
    }

    /// The same, with a sealer that makes tags.
    package static func address(of facts: EntryFacts, with sealer: RecordSealer) throws(StorageError) -> RecordAddress {
        try address(of: facts, EntryOwner(facts), with: sealer)
    }

    /// The same, for fields that have already been read.
    package func address(
        of facts: EntryFacts,
        fields: CredentialFields
    ) throws(StorageError) -> RecordAddress {
        try RecordCodec.address(of: facts, EntryOwner(fields), with: unlockedKeys.tagSealer())
    }

    /// The same, for an entry whose partition is known, too.
    package func address(
        of facts: EntryFacts,
        fields: CredentialFields,
        in partition: PartitionTag
    ) throws(StorageError) -> RecordAddress {
        let sealer = try unlockedKeys.tagSealer()
        assert((try? sealer.partitionTag(of: EntryOwner(facts))) ?? partition == partition)
        do {
            return try sealer.address(of: facts, fields.homeAccountID, client: fields.clientID, in: partition)
        } catch {
            throw StorageError(error)
        }
    }

    private static func address(
        of facts: EntryFacts,
        _ owner: EntryOwner,
        with sealer: RecordSealer
    ) throws(StorageError) -> RecordAddress {
        do {
            let partition = try sealer.partitionTag(of: owner)
            return try sealer.address(of: facts, owner.homeAccountID, client: owner.clientID ?? "", in: partition)
        } catch {
            throw StorageError(error)
        }
    }

    /// The tag that an entry would have if its section and key alone decided it.
    package func tag(ofKeyOf facts: EntryFacts) throws(StorageError) -> RecordTag {
        let sealer = try unlockedKeys.tagSealer()
        do {
            return try sealer.keyTag(of: facts)
        } catch {
            throw StorageError(error)
        }
    }

    /// The partition of all records that concern the whole group.
    package func groupPartition() throws(StorageError) -> PartitionTag {
        let sealer = try unlockedKeys.tagSealer()
        do {
            return try sealer.groupPartition()
        } catch {
            throw StorageError(error)
        }
    }

    /// The partition of the account with this home account id, in comparable form.
    package func partition(ofAccount homeAccountID: RawSpan) throws(StorageError) -> PartitionTag {
        let sealer = try unlockedKeys.tagSealer()
        do {
            return PartitionTag(try sealer.partitionTag(.account, homeAccountID))
        } catch {
            throw StorageError(error)
        }
    }

    /// The partition of entries with this username (already trimmed and folded) and no home account id.
    package func partition(ofUsername username: RawSpan) throws(StorageError) -> PartitionTag {
        let sealer = try unlockedKeys.tagSealer()
        do {
            return PartitionTag(try sealer.partitionTag(.username, username))
        } catch {
            throw StorageError(error)
        }
    }

    /// The partition of the app-only tokens of a client in a realm, both already trimmed and folded.
    package func partition(ofApplication clientID: [UInt8], realm: [UInt8]) throws(StorageError) -> PartitionTag {
        let sealer = try unlockedKeys.tagSealer()
        do {
            return PartitionTag(try sealer.partitionTag(.appOnly, [clientID, realm]))
        } catch {
            throw StorageError(error)
        }
    }

    /// The partitions that may contain people's entries without a home account id: those of a client, already trimmed and
    /// folded, and accounts.
    ///
    /// - Parameters:
    ///   - client: the client.
    ///   - found: finds the partitions under a tag.
    /// - Returns: the partitions.
    /// - Throws: the errors of `found`; `keyMissing` if no epoch was unlocked yet, `forkedProcess`.
    package func partitions<Partitions: Sequence<PartitionTag>>(
        ofPeopleOf client: UTF8Text,
        under found: (SearchTag) throws(StorageError) -> Partitions
    ) throws(StorageError) -> Set<PartitionTag> {
        // Entries written by versions without these tags are found where most libraries' refresh tokens are.
        var partitions: Set = [try partition(ofApplication: Array(client.utf8), realm: [])]
        for client in [client, ""] { partitions.formUnion(try found(try searchTag(personOf: client.bytes))) }
        return partitions
    }

    /// The tag under which a person's entries without a home account id are found: those of a client, already trimmed and
    /// folded, or accounts if it is empty.
    package func searchTag(personOf client: RawSpan) throws(StorageError) -> SearchTag {
        let sealer = try unlockedKeys.tagSealer()
        do {
            return SearchTag(rawValue: try sealer.searchTag(.person, client))
        } catch {
            throw StorageError(error)
        }
    }

    /// The tag under which accounts with this username (already trimmed and folded) are found.
    package func searchTag(username: RawSpan) throws(StorageError) -> SearchTag {
        let sealer = try unlockedKeys.tagSealer()
        do {
            return SearchTag(rawValue: try sealer.searchTag(.username, username))
        } catch {
            throw StorageError(error)
        }
    }
}

extension RecordSealer {
    /// The address of an entry of an account, nil for none, and of a client.
    fileprivate func address(
        of facts: EntryFacts,
        _ homeAccountID: UTF8Text?,
        client: UTF8Text,
        in partition: PartitionTag
    ) throws(SealingError) -> RecordAddress {
        let accountAtIssuer = homeAccountID.flatMap { HomeAccountID.atIssuer($0.bytes) == nil ? nil : $0 }
        return RecordAddress(
            tag: try recordTag(of: facts, accountAtIssuer),
            partition: partition,
            searchTags: try searchTags(
                of: facts,
                nameless: homeAccountID == nil ? client : nil,
                accountAtIssuer
            )
        )
    }

    /// At most as many as a record may have. `client` is that of an entry without a home account id.
    private func searchTags(
        of facts: EntryFacts,
        nameless client: UTF8Text?,
        _ accountAtIssuer: UTF8Text?
    ) throws(SealingError) -> [SearchTag] {
        let kind = facts.kind
        var tags: [SearchTag] = []
        if let client, PeopleBeside<UTF8Text>.isEvidence(kind) {
            tags.append(SearchTag(rawValue: try searchTag(.person, (kind == .account ? "" : client).bytes)))
        }
        var names = kind == .account ? AccountFields.usernames(of: facts) : []
        // An account at an issuer is also found by its subject alone.
        if let subject = accountAtIssuer.map({ HomeAccountID.subject(of: $0).normalized() }), !names.contains(subject) {
            names.insert(subject, at: 0)
        }
        for name in names.prefix(Int(UInt8.max) - tags.count) {
            tags.append(SearchTag(rawValue: try searchTag(.username, name.bytes)))
        }
        return tags
    }

    private func recordTag(of facts: EntryFacts, _ accountAtIssuer: UTF8Text?) throws(SealingError) -> RecordTag {
        // The keys of two people at issuers of one host may be the same, or differ in case.
        if let account = accountAtIssuer, let key = facts.keyBytes {
            return RecordTag(try recordTag(section: facts.sectionBytes, key: key + [0xFF] + Array(account.utf8)))
        }
        return try keyTag(of: facts)
    }

    fileprivate func keyTag(of facts: EntryFacts) throws(SealingError) -> RecordTag {
        let tag = try facts.withPlainPlace { (section, key) throws(SealingError) in
            try recordTag(section: section, key: key)
        }
        if let tag { return RecordTag(tag) }
        // A missing key is a different identity from an empty key: the section is then marked with a byte that no text
        // begins with.
        guard let key = facts.keyBytes else {
            return RecordTag(try recordTag(section: [0xFF] + facts.sectionBytes, key: []))
        }
        return RecordTag(try recordTag(section: facts.sectionBytes, key: key))
    }

    fileprivate func partitionTag(of owner: EntryOwner) throws(SealingError) -> PartitionTag {
        switch owner.kind {
        case .appMetadata, .accountMetadata, .opaque: return try groupPartition()
        default: break
        }
        if let homeAccountID = owner.homeAccountID {
            return PartitionTag(try partitionTag(.account, homeAccountID.bytes))
        }
        if let username = owner.username {
            return PartitionTag(try partitionTag(.username, username.bytes))
        }
        let names = [owner.clientID, owner.realm].map { $0.map { Array($0.utf8) } ?? [] }
        return PartitionTag(try partitionTag(.appOnly, names))
    }

    fileprivate func groupPartition() throws(SealingError) -> PartitionTag {
        PartitionTag(try partitionTag(.group, []))
    }
}

extension RecordTag {
    /// Creates a tag from the words that sealing returns.
    package init(_ words: (UInt64, UInt64)) {
        self.init(first: words.0, second: words.1)
    }
}

extension PartitionTag {
    /// Creates a tag from the words that sealing returns.
    package init(_ words: (UInt64, UInt64)) {
        self.init(first: words.0, second: words.1)
    }
}
