internal import ByteOperations
internal import GroupRecords
internal import UnifiedSchema

/// The realms of a partition that the tenant of a query stands for.
struct RealmMatch {
    /// Whether any will do outside of the known clouds, because the query names no tenant. Only in these does the account's
    /// id surely tell its home tenant: what follows the last dot of an id (`ann@example.com`) is no tenant.
    private let isOpenElsewhere: Bool
    private let realms: TenantRealms<Symbol>
    /// What the text that the query names as tenant was noted to mean, cloud by cloud.
    private var noted: [(cloud: Symbol, realm: Symbol)] = []

    init(_ terms: PreparedQuery, _ facts: PartitionFacts) {
        isOpenElsewhere = terms.tenant == nil
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

    /// Whether a row is of one of them.
    func contains(_ row: FactsRow) -> Bool {
        if isOpenElsewhere, !row.flags.contains(.knownCloud) { return true }
        if realms.contains(row.realm) { return true }
        return !noted.isEmpty && noted.contains { $0.realm == row.realm && $0.cloud == row.cloud }
    }
}

extension PartitionFacts {
    /// What a text for a tenant was noted to mean for the account.
    fileprivate func meanings(ofTenant name: Symbol) -> [(cloud: Symbol, realm: Symbol)] {
        let rows = rows
        var found: [(cloud: Symbol, realm: Symbol)] = []
        for index in rows.indices where rows[index].kind.isTenantNote && rows[index].username == name {
            found.append((rows[index].cloud, rows[index].realm))
        }
        return found
    }
}
