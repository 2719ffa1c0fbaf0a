// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// The owner of a partition's entries, according to the entries.
struct PartitionOwner {
    private(set) var homeAccountID: UTF8Text? {
        didSet { ownTenant = homeAccountID.flatMap { TenantWord.homeTenant(of: $0) } }
    }
    /// The tenant that its id names.
    private var ownTenant: UTF8Text?
    /// The tenants of known clouds that account entries name.
    private var tenants: Set<UTF8Text> = []

    /// The account's home tenant. If its id names none (a response without `client_info`), it is the only tenant that
    /// the account has entries in; if there are several, it is unknown.
    var homeTenant: UTF8Text? {
        ownTenant ?? (tenants.count == 1 ? tenants.first : nil)
    }

    mutating func take(_ fields: CredentialFields, isInKnownCloud: Bool) {
        if homeAccountID == nil, let id = fields.homeAccountID { homeAccountID = id }
        guard isInKnownCloud, fields.kind == .account, ownTenant == nil, let realm = fields.realm else { return }
        if TenantWord(realm) == nil { tenants.insert(realm) }
    }

    /// The same for a row that was read before. All entries of a partition that name an account name the same one.
    mutating func take(_ row: FactsRow, of facts: PartitionFacts) {
        if row.kind.isInternalRecord { return }
        if homeAccountID == nil, let id = facts.string(facts.homeAccountID) { homeAccountID = UTF8Text(id) }
        guard row.flags.contains(.knownCloud), row.kind.isAccount, ownTenant == nil,
            let realm = facts.string(row.realm).map({ UTF8Text($0) })
        else { return }
        if TenantWord(realm) == nil { tenants.insert(realm) }
    }
}
