// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// Entries to be removed that show, beside an access token without a home account id, that it is a person's.
///
/// If no such entry is left, the token would count as an application's, and be handed out as that. No lookup uses it
/// while it is a person's, so it is removed with the last of them.
struct PersonalWitnesses {
    private var removed: Set<RecordTag> = []
    private var removedTokens: Set<RecordTag> = []

    /// Notes entries that are to be removed.
    mutating func note(_ entries: [ListedEntry]) {
        for entry in entries where entry.fields.homeAccountID == nil {
            if PeopleBeside<UTF8Text>.isEvidence(entry.facts.kind) {
                removed.insert(entry.record.tag)
            } else if entry.facts.kind.isAccessToken {
                removedTokens.insert(entry.record.tag)
            }
        }
    }

    /// Finds the tokens that are a person's only because of the noted entries.
    ///
    /// - Parameters:
    ///   - store: contains the noted entries.
    ///   - codec: opens entries.
    ///   - deadline: the time by which the call returns.
    /// - Returns: the tokens by partition, without those that were noted themselves.
    /// - Throws: errors of the store, `keyMissing` if the epoch is not unlocked, `forkedProcess` in a forked child.
    func tokens(
        in store: any RecordStore,
        codec: RecordCodec,
        until deadline: Deadline
    ) throws(StorageError) -> [(partition: PartitionTag, tokens: [ListedEntry])] {
        guard !removed.isEmpty else { return [] }
        var later = ApplicationTokens(codec, without: removed)
        var listing = EntryListing(
            store,
            codec: codec,
            filter: EntryFilter(kinds: [.accessToken, .boundAccessToken])
        )
        var found: [(partition: PartitionTag, tokens: [ListedEntry])] = []
        for partition in try listing.partitions(until: deadline) {
            var tokens: [ListedEntry] = []
            for entry in try listing.entries(of: partition, until: deadline).entries {
                let isLeft = !entry.isApplicationToken && !removedTokens.contains(entry.record.tag)
                if isLeft, try later.contain(entry.fields, in: store, until: deadline) { tokens.append(entry) }
            }
            if !tokens.isEmpty { found.append((partition, tokens)) }
        }
        return found
    }
}
