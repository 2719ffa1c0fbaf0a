// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// The fields of a partition's tokens, taken from its rows, in the form in which a change compares entries.
///
/// Rows were opened and verified when they were read, and a version of a record never changes: as long as this version
/// is the store's current one, these are its fields.
struct CachedFields {
    /// The known fields of one token.
    struct Entry {
        let fields: CredentialFields
        /// Whether no member identifies its SDK.
        let hasNoSDKFingerprint: Bool
        let position: UInt32
    }

    private let facts: PartitionFacts
    /// By symbol, because entries of one account share most of their texts.
    private var texts: [UTF8Text?]
    private var scopes: (symbol: Symbol, set: ScopeSet)?

    /// Nil if the rows do not belong to the contents that the store returns now.
    init?(_ facts: PartitionFacts?, of contents: PartitionContents) {
        guard let facts, facts.reader === contents.reader else { return nil }
        self.facts = facts
        texts = Array(repeatElement(nil, count: facts.symbolCount))
    }

    /// The fields of this version of a record. Nil for a record that has to be opened: an account, whose row does not
    /// contain enough, an isolated token, and everything that is not a token.
    mutating func entry(_ record: StoredRecord) -> Entry? {
        guard let kind = EntryKind(rawValue: record.kind.rawValue), kind.isReadFromRows,
            let index = facts.index(of: record)
        else { return nil }
        let row = facts.row(index)
        var fields = CredentialFields(kind: kind)
        if kind.isAccessToken {
            guard let target = scopeSet(row.scopes) else { return nil }
            fields.target = target
        } else {
            fields.target = scopeSet(row.scopes)
        }
        fields.homeAccountID = text(facts.homeAccountID)
        fields.environment = text(row.environment) ?? ""
        fields.realm = text(row.realm)
        fields.clientID = text(row.client) ?? ""
        fields.familyID = text(row.family)
        if let type = text(row.tokenType) { fields.tokenType = type }
        fields.keyID = text(row.keyID)
        fields.username = text(row.username)
        fields.isOfApplication = kind.isAccessToken && row.flags.contains(.ofApplication)
        fields.cachedAt = FactsRow.time(row.cachedAt)
        fields.expiresOn = FactsRow.time(row.expiresOn)
        fields.extendedExpiresOn = FactsRow.time(row.extendedExpiresOn)
        fields.refreshOn = FactsRow.time(row.refreshOn)
        fields.lastModificationMicroseconds = FactsRow.time(row.lastModified)
        return Entry(
            fields: fields,
            hasNoSDKFingerprint: row.flags.contains(.hasNoSDKFingerprint),
            position: row.position
        )
    }

    private mutating func text(_ symbol: Symbol) -> UTF8Text? {
        let index = Int(symbol.index)
        guard index < texts.count else { return nil }
        if texts[index] == nil { texts[index] = facts.string(symbol).map { UTF8Text($0) } }
        return texts[index]
    }

    /// Nil if there are none.
    private mutating func scopeSet(_ symbol: Symbol) -> ScopeSet? {
        if let scopes, scopes.symbol == symbol { return scopes.set }
        guard let set = text(symbol).map({ ScopeSet($0) }) else { return nil }
        scopes = (symbol, set)
        return set
    }
}

extension EntryKind {
    /// Whether rows contain all fields by which a change compares entries of this kind.
    fileprivate var isReadFromRows: Bool {
        isAccessToken || isPlainRefreshToken || self == .idToken
    }
}
