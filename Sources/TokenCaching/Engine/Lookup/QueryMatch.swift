// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// A query with its texts converted to the symbols of one partition's facts.
struct QueryMatch {
    let facts: PartitionFacts
    let terms: PreparedQuery
    /// The requesting client.
    let client: Symbol
    /// Nil for any cloud.
    private let cloud: Symbol?
    private let tokenType: Symbol
    private let keyID: Symbol?
    private let isolation: IsolationMatch
    let realms: RealmMatch

    init(_ terms: PreparedQuery, _ facts: PartitionFacts, client: RawSpan) {
        self.facts = facts
        self.terms = terms
        self.client = facts.symbol(client)
        if let environment = terms.environment {
            cloud = facts.clouds.hosts.withPreferredCacheHost(of: terms.span(environment)) { facts.symbol($0) }
        } else {
            cloud = nil
        }
        tokenType = if let type = terms.tokenType { facts.symbol(terms.span(type)) } else { .none }
        keyID = if let key = terms.keyID { facts.symbol(terms.span(key)) } else { nil }
        isolation = IsolationMatch(terms, facts)
        realms = RealmMatch(terms, facts)
    }

    /// Whether the row is an access token that matches the query, regardless of its expiry.
    func isWantedToken(_ row: FactsRow) -> Bool {
        isTokenOfQuery(row) && terms.areGranted(in: facts.span(row.scopes))
    }

    /// Whether the row is an access token that matches the query, regardless of its expiry and scopes.
    @inline(__always)
    func isTokenOfQuery(_ row: FactsRow) -> Bool {
        row.flags.contains(.accessToken) && row.client == client && row.tokenType == tokenType
            && isolation.isExact(row, of: facts) && matchesCloud(row) && realms.contains(row) && isOfKey(row)
    }

    @inline(__always)
    private func isOfKey(_ row: FactsRow) -> Bool { keyID == nil || keyID == row.keyID }

    /// Why an access token is not the answer: empty if ``isWantedToken(_:)`` and it is valid now.
    func shortfalls(of row: FactsRow, now: Int64) -> [TokenShortfall] {
        var shortfalls: [TokenShortfall] = []
        if row.client != client { shortfalls.append(.client) }
        if !matchesCloud(row) { shortfalls.append(.environment) }
        if !realms.contains(row) { shortfalls.append(.tenant) }
        if !isolation.isExact(row, of: facts) { shortfalls.append(.isolation) }
        if row.tokenType != tokenType { shortfalls.append(.tokenType) }
        if !isOfKey(row) { shortfalls.append(.key) }
        let scopes = terms.scopes(declinedBy: facts.span(row.scopes))
        if !scopes.isEmpty { shortfalls.append(.scopes(scopes)) }
        let validity = validity(of: row)
        if !validity.contains(now) { shortfalls.append(now < validity.from ? .implausibleTimes : .expired) }
        return shortfalls
    }

    /// Why the client cannot redeem a refresh token for the query. Does not check whether the client belongs to the
    /// family of the token.
    func shortfalls(ofRefreshToken row: FactsRow, now: Int64) -> [TokenShortfall] {
        var shortfalls: [TokenShortfall] = []
        if row.client != client { shortfalls.append(.client) }
        if !serves(row) { shortfalls.append(matchesCloud(row) ? .tenant : .environment) }
        if !isolation.isOpen(row, of: facts) { shortfalls.append(.isolation) }
        if row.times.hasRefreshTokenEnded(now) { shortfalls.append(.expired) }
        return shortfalls
    }

    /// Whether the row is a refresh token that could be redeemed for the query, by any client.
    ///
    /// Microsoft's are valid for any tenant. Tokens bound to a device and expired tokens match no query.
    func isUsableRefreshToken(_ row: FactsRow, _ now: Int64) -> Bool {
        row.kind.isPlainRefreshToken && !row.times.hasRefreshTokenEnded(now) && isolation.isOpen(row, of: facts)
            && serves(row)
    }

    /// Whether a refresh token of the row's cloud and realm is valid for the query.
    func serves(_ row: FactsRow) -> Bool {
        matchesCloud(row) && (row.flags.contains(.microsoft) || row.realm.isNone || realms.contains(row))
    }

    /// Whether the row is this client's id token for the query's account and tenant.
    func isWantedIDToken(_ row: FactsRow) -> Bool {
        row.kind.isIDToken && row.client == client && isolation.isOpen(row, of: facts) && matchesCloud(row)
            && realms.contains(row)
    }

    func matchesCloud(_ row: FactsRow) -> Bool {
        cloud == nil || cloud == row.cloud
    }
}

extension RecordKind {
    var isAccessToken: Bool {
        rawValue == EntryKind.accessToken.rawValue || rawValue == EntryKind.accessTokenWithAuthScheme.rawValue
    }

    /// Whether it is a refresh token that is not bound to a device key.
    var isPlainRefreshToken: Bool {
        rawValue == EntryKind.refreshToken.rawValue || rawValue == EntryKind.familyRefreshToken.rawValue
    }

    var isIDToken: Bool { rawValue == EntryKind.idToken.rawValue || rawValue == EntryKind.v1IDToken.rawValue }

    /// Whether it is an id token of version 1 of the protocol.
    var isOldIDToken: Bool { rawValue == EntryKind.v1IDToken.rawValue }

    var isAppMetadata: Bool { rawValue == EntryKind.appMetadata.rawValue }

    var isAccount: Bool { rawValue == EntryKind.account.rawValue }
}

extension QueryMatch {
    /// Whether the row is an ADAL refresh token that could be redeemed for the query.
    ///
    /// A token for several resources matches any scope. A token for a single resource matches the scopes that begin
    /// with the name of that resource and a slash.
    func isUsableLegacyToken(_ row: FactsRow) -> Bool {
        guard row.kind.isLegacy, row.flags.contains(.legacyRefreshToken), serves(row) else { return false }
        guard !row.scopes.isNone else { return true }
        return terms.areScopes(of: facts.span(row.scopes))
    }

    /// The newest ADAL refresh token that the client may redeem: its own, otherwise one of a family that it may belong
    /// to.
    func newestLegacyToken(_ families: ClientFamilies) -> Int? {
        newestLegacyToken { $0.client == client }
            ?? newestLegacyToken { row in
                row.namesFamily && families.isMember(of: facts.span(row.family), cloud: facts.span(row.cloud))
            }
    }

    private func newestLegacyToken(where isWanted: (FactsRow) -> Bool) -> Int? {
        let rows = facts.rows
        var newest: Int?
        for index in rows.indices where isUsableLegacyToken(rows[index]) && isWanted(rows[index]) {
            if let newest, !rows[index].precedes(rows[newest]) { continue }
            newest = index
        }
        return newest
    }
}
