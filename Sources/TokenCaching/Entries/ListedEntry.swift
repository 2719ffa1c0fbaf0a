// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// An entry while a list is built: its record, the locations of its boxes, and its facts.
///
/// A class, because lists of entries are passed on several times, and each copy of these values would count a dozen
/// references.
package final class ListedEntry {
    package let record: StoredRecord
    let partition: PartitionTag
    package let reader: any BoxReader
    package let facts: EntryFacts
    package let fields: CredentialFields
    /// Whether it is an application's own token, which belongs to no account.
    package let isApplicationToken: Bool

    package init(
        record: StoredRecord,
        partition: PartitionTag,
        reader: any BoxReader,
        facts: EntryFacts,
        fields: CredentialFields,
        isApplicationToken: Bool
    ) {
        self.record = record
        self.partition = partition
        self.reader = reader
        self.facts = facts
        self.fields = fields
        self.isApplicationToken = isApplicationToken
    }

    /// The summary of the entry for lists. `username` is the account's, for entries that have none of their own.
    package func summary(account: AccountHandle?, username: String?) -> EntrySummary {
        let (account, username) = isApplicationToken ? (nil, nil) : (account, username)
        let item = LegacyTokenView(facts)
        return EntrySummary(
            handle: EntryHandle(record.tag),
            accountHandle: account,
            kind: CachedEntryKind(facts.kind),
            isApplicationToken: isApplicationToken,
            entryKind: facts.kind,
            accountID: facts.text(.homeAccountID).map {
                Account.ID(HomeAccountID.joined($0, facts.text(.issuer)).string)
            },
            username: (facts.text(.username) ?? item?.userID)?.string ?? username,
            environment: (facts.text(.environment) ?? item.map { _ in fields.environment })?.string,
            tenant: (facts.text(.realm) ?? item.flatMap { _ in fields.realm })?.string,
            clientID: (facts.text(.clientID) ?? item?.clientID ?? item?.servicePrincipalID)?.string,
            familyID: (facts.text(.familyID) ?? item?.familyID)?.string,
            scopes: fields.target?.scopes.map(\.string) ?? [],
            tokenType: facts.kind.isAccessToken ? fields.tokenType.string : nil,
            // ADAL's times are in an unknown time zone.
            cachedAt: item == nil ? fields.cachedAt.map(Timestamp.init(secondsSince1970:)) : nil,
            expiresOn: fields.expiresOn.map(Timestamp.init(secondsSince1970:)),
            extendedExpiresOn: fields.extendedExpiresOn.map(Timestamp.init(secondsSince1970:)),
            refreshOn: fields.refreshOn.map(Timestamp.init(secondsSince1970:)),
            lastModificationTime: facts.seconds(.lastModificationTime).map(Timestamp.init(secondsSince1970:)),
            hasToken: facts.kind.isCredential && !record.lacksToken,
            section: facts.sectionName.string,
            byteCount: Int(record.facts.length) + Int(record.secret.length),
            sequence: record.sequence
        )
    }
}
