// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import UnifiedSchema

/// The realms of a partition that match the tenant of a query.
struct RealmMatch {
    /// Whether any realm outside the known clouds matches, because the query gives no tenant. The account's id reliably
    /// contains its home tenant only in known clouds: the part after the last dot of an id such as `ann@example.com` is
    /// not a tenant.
    private let isOpenElsewhere: Bool
    /// Whether only entries without a realm match outside the known clouds.
    private let isForIssuerWithoutPath: Bool
    /// Whether entries without a realm match too outside the known clouds: MSAL.NET writes none for AD FS.
    private let isForADFS: Bool
    private let realms: TenantRealms<Symbol>
    /// The tenants that the query's tenant name resolved to, by cloud.
    private var noted: [(cloud: Symbol, realm: Symbol)] = []

    init(_ terms: PreparedQuery, _ facts: PartitionFacts) {
        isOpenElsewhere = terms.tenant == nil
        isForIssuerWithoutPath = terms.isForIssuerWithoutPath
        isForADFS = terms.tenant.map { terms.span($0).isEqual(to: "adfs") } ?? false
        if let tenant = terms.tenant, terms.tenantWord == nil {
            let named = facts.symbol(terms.span(tenant))
            realms = TenantRealms(exactly: named)
            if named != .absent { noted = facts.meanings(ofTenant: named) }
            return
        }
        realms = TenantRealms(
            of: terms.tenantWord ?? .common,
            home: facts.homeTenant.isNone ? nil : facts.homeTenant,
            isPersonal: facts.span(facts.homeTenant).isEqual(to: TenantWord.consumersTenant.bytes)
        ) { facts.symbol($0.bytes) }
    }

    /// Whether the realm of a row matches.
    func contains(_ row: FactsRow) -> Bool {
        if isOpenElsewhere, !row.flags.contains(.knownCloud) { return !isForIssuerWithoutPath || row.realm.isNone }
        if realms.contains(row.realm) { return true }
        if isForADFS, row.realm.isNone, !row.flags.contains(.knownCloud) { return true }
        return !noted.isEmpty && noted.contains { $0.realm == row.realm && $0.cloud == row.cloud }
    }
}

extension PartitionFacts {
    /// The tenants that a name resolved to for the account.
    fileprivate func meanings(ofTenant name: Symbol) -> [(cloud: Symbol, realm: Symbol)] {
        let rows = rows
        var found: [(cloud: Symbol, realm: Symbol)] = []
        for index in rows.indices where rows[index].kind.isTenantNote && rows[index].username == name {
            found.append((rows[index].cloud, rows[index].realm))
        }
        return found
    }
}
