// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

extension RefreshToken {
    /// The tenant to send it to: the beginning of the token endpoint's path.
    ///
    /// The tenant as given in the query, in the same case. If the query gave none, or `common` or `organizations`: the
    /// account's home tenant; on Microsoft's other hosts the tenant for which this client last obtained tokens; for
    /// other issuers the realm of the refresh token as stored. Empty if none of these is known, and for issuers without
    /// a path.
    public var requestTenant: String {
        let terms = answer.terms
        if terms.tenant != nil, terms.tenantWord == nil, let tenant = terms.requestedTenant {
            return UTF8Text(tenant).trimmed().string
        }
        if facts.flags.contains(.knownCloud) { return homeTenant(terms.tenantWord ?? .common) }
        if facts.flags.contains(.microsoft) { return lastTenant ?? "" }
        return answer.facts.string(facts.writtenRealm) ?? tenant ?? ""
    }

    private func homeTenant(_ word: TenantWord) -> String {
        let facts = answer.facts
        let isPersonal = facts.span(facts.homeTenant).isEqual(to: TenantWord.consumersTenant.bytes)
        guard word != .consumers, word.meansHome(isPersonal: isPersonal) else { return word.rawValue }
        return facts.string(facts.homeTenant) ?? word.rawValue
    }

    /// The realm of the newest token or account of this client on the host, otherwise of any client.
    private var lastTenant: String? {
        let (facts, engine, cloud) = (answer.facts, answer.engine, self.facts.cloud)
        let client = facts.symbol(engine.clientBytes)
        let rows = facts.rows
        var last: (rank: (Int, UInt32), realm: Symbol)?
        for index in rows.indices where rows[index].cloud == cloud && rows[index].namesTenant {
            let rank = (rows[index].client == client ? 1 : 0, rows[index].rank)
            if last.map({ $0.rank < rank }) ?? true { last = (rank, rows[index].realm) }
        }
        guard let realm = last?.realm else { return nil }
        return name(ofTenant: realm) ?? facts.string(realm)
    }

    /// The name that a request last used for the tenant: such a host may accept the name in a path, but not the id.
    private func name(ofTenant realm: Symbol) -> String? {
        let (facts, cloud) = (answer.facts, self.facts.cloud)
        let rows = facts.rows
        var last: (sequence: UInt64, name: String)?
        for index in rows.indices where rows[index].kind.isTenantNote && rows[index].cloud == cloud {
            guard rows[index].realm == realm, let name = facts.string(rows[index].username) else { continue }
            // Notes of one import have no order: any rule will do that gives the same name in every group.
            if let last, (last.sequence, last.name) >= (rows[index].sequence, name) { continue }
            last = (rows[index].sequence, name)
        }
        return last?.name
    }
}

extension FactsRow {
    /// Whether the realm is the tenant that the token was obtained for. The realms of Microsoft's refresh tokens have
    /// no meaning.
    fileprivate var namesTenant: Bool {
        !realm.isNone && (kind.isAccessToken || kind.isIDToken || kind.isAccount)
    }
}
