// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// The fields of one stored entry that lookups compare, and the location of its secret. Everything else stays sealed in
/// the store.
struct FactsRow: Sendable {
    let tag: RecordTag
    let sequence: UInt64
    /// The sealed secret.
    let secret: BoxLocation
    let kind: RecordKind
    /// The place of the entry among those of the same sequence.
    var position: UInt32 = 0
    /// Orders the rows of a partition: of several that would do, the one with the highest rank is chosen.
    var rank: UInt32 = 0
    var flags: Flags = []
    /// The isolation of the entry: its number in ``PartitionFacts/isolations``, counted from 1; 0 for a plain entry.
    var isolation: UInt16 = 0
    /// Identities are folded: equal texts mean equal symbols.
    var client = Symbol.none
    /// The host as it was written.
    var environment = Symbol.none
    /// The host that represents the cloud: equal for all of its aliases.
    var cloud = Symbol.none
    var realm = Symbol.none
    /// The realm of a refresh token as it was written, if only that realm accepts the token. For an account with tenant
    /// profiles, their tenants, folded, one a line.
    var writtenRealm = Symbol.none
    var family = Symbol.none
    var tokenType = Symbol.none
    /// For a tenant note: the tenant's name.
    var username = Symbol.none
    /// As received: key ids and granted scopes keep their case. The scopes of an access token, or those granted with a
    /// refresh token that is not Microsoft's.
    var keyID = Symbol.none
    /// For an account with tenant profiles: their usernames, folded, each followed by a line feed.
    var scopes = Symbol.none
    /// Seconds since 1970; ``FactsRow/missing`` if the entry has no such time.
    var expiresOn = FactsRow.missing
    var extendedExpiresOn = FactsRow.missing
    var refreshOn = FactsRow.missing
    var cachedAt = FactsRow.missing
    /// In microseconds.
    var lastModified = FactsRow.missing

    /// Replaces every symbol of the row. A symbol is valid in one table only: a symbol omitted here would represent
    /// another text in the next table.
    mutating func mapSymbols(_ transform: (Symbol) -> Symbol) {
        client = transform(client)
        environment = transform(environment)
        cloud = transform(cloud)
        realm = transform(realm)
        writtenRealm = transform(writtenRealm)
        family = transform(family)
        tokenType = transform(tokenType)
        username = transform(username)
        keyID = transform(keyID)
        scopes = transform(scopes)
    }

    /// The time of an event that was not recorded.
    static let missing = Int64.min

    /// Other conditions for handing out the entry.
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt16

        /// No member of the entry identifies its SDK, and its key contains no escapes.
        static let hasNoSDKFingerprint = Flags(rawValue: 1 << 0)
        /// The environment belongs to a known cloud.
        static let knownCloud = Flags(rawValue: 1 << 1)
        /// A sign-in state with the value "signed out".
        static let signedOut = Flags(rawValue: 1 << 2)
        /// A sign-in state with the value "signed in".
        static let signedIn = Flags(rawValue: 1 << 3)
        /// An access token that this library saved for an application itself.
        static let ofApplication = Flags(rawValue: 1 << 3)
        /// A sign-in state that records that the client's refresh token was permanently refused.
        static let lostToken = Flags(rawValue: 1 << 4)
        /// An access token of either kind: the first condition that each lookup checks for each row.
        static let accessToken = Flags(rawValue: 1 << 5)
        /// The environment belongs to Microsoft, in a known cloud or not: its refresh tokens are valid for any tenant.
        static let microsoft = Flags(rawValue: 1 << 6)
        /// An ADAL item with a refresh token, for any resource unless `scopes` names one.
        static let legacyRefreshToken = Flags(rawValue: 1 << 7)
        /// An access token in the section `AccessToken_With_AuthScheme`.
        static let schemeSection = Flags(rawValue: 1 << 8)
    }

    /// Whether the entry is isolated by claims, an extended key, a user assertion or an application, so that it must
    /// not match a plain query.
    var isIsolated: Bool { isolation != 0 }

    init(tag: RecordTag, sequence: UInt64, secret: BoxLocation, kind: RecordKind) {
        self.tag = tag
        self.sequence = sequence
        self.secret = secret
        self.kind = kind
        if kind.isAccessToken { flags.insert(.accessToken) }
    }
}

extension FactsRow: CredentialView {
    var entryKind: EntryKind? { EntryKind(rawValue: kind.rawValue) }

    var namesFamily: Bool { !family.isNone }

    var times: EntryTimes {
        EntryTimes(
            cachedAt: FactsRow.time(cachedAt),
            lastModifiedMicroseconds: FactsRow.time(lastModified),
            expiresOn: FactsRow.time(expiresOn),
            extendedExpiresOn: FactsRow.time(extendedExpiresOn)
        )
    }

    static func time(_ time: Int64) -> Int64? { time == missing ? nil : time }

    /// Whether this row is chosen if both would do.
    @inline(__always)
    func precedes(_ other: FactsRow) -> Bool { rank > other.rank }

    /// Whether this access token lives longer, or precedes one that lives as long.
    @inline(__always)
    func outlives(_ other: FactsRow) -> Bool {
        expiresOn == other.expiresOn ? precedes(other) : expiresOn > other.expiresOn
    }

    /// The same for extended lifetimes.
    func outlivesExtended(_ other: FactsRow) -> Bool {
        extendedExpiresOn == other.extendedExpiresOn
            ? precedes(other) : extendedExpiresOn > other.extendedExpiresOn
    }
}

extension RecordKind {
    /// Whether it is an item of ADAL.
    var isLegacy: Bool { rawValue == EntryKind.legacySingleResourceToken.rawValue }
}

extension FactsRow {
    /// Fills in the fields that only ADAL items have.
    ///
    /// - Parameters:
    ///   - facts: the item.
    ///   - symbols: receives the texts.
    mutating func takeLegacy(_ facts: EntryFacts, _ symbols: inout SymbolTable) {
        guard let item = LegacyTokenView(facts), item.hasRefreshToken else { return }
        if item.isMultiResource == true || item.familyID.map({ !$0.isBlank }) == true {
            flags.insert(.legacyRefreshToken)
        } else if let resource = item.resource?.normalized(), !resource.isEmpty {
            flags.insert(.legacyRefreshToken)
            scopes = symbols.symbol(resource)
        }
    }
}
