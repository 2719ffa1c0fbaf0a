internal import RecordStorage
internal import UnifiedSchema

/// What lookups compare of one stored entry, and where its secret lies. Everything else stays sealed in the store.
struct FactsRow: Sendable {
    let tag: RecordTag
    let sequence: UInt64
    /// The sealed secret.
    let secret: BoxLocation
    let kind: RecordKind
    var flags: Flags = []
    /// What the entry is kept apart by: its number among ``PartitionFacts/isolations``, from 1 on; 0 for a plain entry.
    var isolation: UInt16 = 0
    /// Identities are folded: equal texts mean equal symbols.
    var client = Symbol.none
    /// The host as it was written.
    var environment = Symbol.none
    /// The host that stands for the cloud: equal for all of its aliases.
    var cloud = Symbol.none
    var realm = Symbol.none
    /// The realm of a refresh token as it was written, where only that realm takes the token.
    var writtenRealm = Symbol.none
    var family = Symbol.none
    var tokenType = Symbol.none
    /// Of a note of what a text for a tenant means: that text.
    var username = Symbol.none
    /// As received: key ids and the granted scopes keep their case.
    var keyID = Symbol.none
    var scopes = Symbol.none
    /// Seconds since 1970; ``FactsRow/missing`` where the entry does not say.
    var expiresOn = FactsRow.missing
    var extendedExpiresOn = FactsRow.missing
    var refreshOn = FactsRow.missing
    var cachedAt = FactsRow.missing
    var lastModified = FactsRow.missing

    /// The time of something that never happened.
    static let missing = Int64.min

    /// What else decides whether the entry may be handed out.
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8

        /// No member of the entry speaks for an SDK, and its key stands there without escapes.
        static let hasNoSDKFingerprint = Flags(rawValue: 1 << 0)
        /// The environment is one of a known cloud.
        static let knownCloud = Flags(rawValue: 1 << 1)
        /// A sign-in state that says "signed out".
        static let signedOut = Flags(rawValue: 1 << 2)
        /// A sign-in state that says "signed in".
        static let signedIn = Flags(rawValue: 1 << 3)
        /// A sign-in state that says that the client's refresh token was refused for good.
        static let lostToken = Flags(rawValue: 1 << 4)
        /// An access token of either kind: the first thing that each lookup asks of each row.
        static let accessToken = Flags(rawValue: 1 << 5)
        /// The environment is one of Microsoft's, in a known cloud or not: its refresh tokens are good for any tenant.
        static let microsoft = Flags(rawValue: 1 << 6)
        /// An item of ADAL with a refresh token, for any resource unless `scopes` names one.
        static let legacyRefreshToken = Flags(rawValue: 1 << 7)
    }

    /// Whether the entry is kept apart by claims, by an extended key, by a user assertion or by an application: a plain
    /// query must not get it.
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
            lastModified: FactsRow.time(lastModified),
            expiresOn: FactsRow.time(expiresOn),
            extendedExpiresOn: FactsRow.time(extendedExpiresOn)
        )
    }

    static func time(_ time: Int64) -> Int64? { time == missing ? nil : time }
}
