// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension RecordSealer {
    /// The tag of an entry's record: 128 bits that reveal nothing without the tag key.
    ///
    /// - Parameters:
    ///   - section: the section of the unified document.
    ///   - key: the key of the entry in that section.
    /// - Returns: the first and the last eight bytes of the tag as little-endian numbers.
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package func recordTag(section: RawSpan, key: RawSpan) throws(SealingError) -> (UInt64, UInt64) {
        let byteCount = section.byteCount + key.byteCount + 8
        return try TagMessage.hash(Label.recordTag, partsByteCount: byteCount, key: keys.tagKey) { message in
            message.append(section)
            message.append(key)
        }
    }

    /// The tag of an entry's record.
    package func recordTag(section: [UInt8], key: [UInt8]) throws(SealingError) -> (UInt64, UInt64) {
        try recordTag(section: section.rawSpan, key: key.rawSpan)
    }

    /// The tag of the partition named by these components.
    package func partitionTag(
        _ domain: PartitionDomain,
        _ components: [[UInt8]]
    ) throws(SealingError) -> (UInt64, UInt64) {
        let byteCount = components.reduce(0) { $0 + $1.count + 4 }
        return try TagMessage.hash(domain.label, partsByteCount: byteCount, key: keys.tagKey) { message in
            for component in components { message.append(component.rawSpan) }
        }
    }

    /// The tag of the partition named by one component.
    package func partitionTag(_ domain: PartitionDomain, _ component: RawSpan) throws(SealingError) -> (UInt64, UInt64)
    {
        try tag(domain.label, component)
    }

    /// The 64-bit tag to find partitions by `text`. Two texts may share a tag.
    package func searchTag(_ domain: SearchDomain, _ text: RawSpan) throws(SealingError) -> UInt64 {
        try tag(domain.label, text).0
    }

    private func tag(_ label: StaticString, _ part: RawSpan) throws(SealingError) -> (UInt64, UInt64) {
        try TagMessage.hash(label, partsByteCount: part.byteCount + 4, key: keys.tagKey) { $0.append(part) }
    }

    /// A number below 2^62 that identifies the lease of a secret. The secret is hashed in place, without a copy.
    ///
    /// - Parameters:
    ///   - kind: the kind of lease; equal secrets of different kinds give different numbers.
    ///   - secret: the secret, such as a refresh token.
    /// - Returns: the number.
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package func leaseNumber(kind: UInt8, secret: RawSpan) throws(SealingError) -> UInt64 {
        let prefix = [kind]
        var hash = try KeyedHash(key: keys.tagKey)
        hash.update(Label.lease)
        hash.update(prefix.rawSpan)
        hash.update(secret)
        let bytes = try hash.finalize().bytes
        return bytes[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2
    }
}

/// The kind of name from which a partition's tag is derived. Equal texts in different domains give different tags.
package enum PartitionDomain: Sendable, CaseIterable {
    /// A home account id.
    case account
    /// A username, for an account without a home account id.
    case username
    /// A client and a realm, for app-only tokens.
    case appOnly
    /// The group as a whole.
    case group

    var label: StaticString {
        switch self {
        case .account: Label.accountPartition
        case .username: Label.usernamePartition
        case .appOnly: Label.appOnlyPartition
        case .group: Label.groupPartition
        }
    }
}

/// The kind of text from which a search tag is derived. Equal texts in different domains give different tags.
package enum SearchDomain: Sendable, CaseIterable {
    /// The username of an account.
    case username
    /// The client of a person's entry without a home account id.
    case person

    var label: StaticString {
        switch self {
        case .username: Label.usernameSearch
        case .person: Label.personSearch
        }
    }
}
