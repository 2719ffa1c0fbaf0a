// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// The owner of a partition's entries, according to the entries.
struct PartitionOwner {
    private(set) var homeAccountID: UTF8Text? {
        didSet { ownTenant = homeAccountID.flatMap { TenantWord.homeTenant(of: $0) } }
    }
    /// The tenant that the id names.
    private var ownTenant: UTF8Text?
    /// The tenants of known clouds that account entries name.
    private var tenants: Set<UTF8Text> = []

    /// The account's home tenant. If its id names none (a response without `client_info`), this is the only tenant in
    /// which the account has entries; if there are several, the home tenant is unknown.
    var homeTenant: UTF8Text? {
        ownTenant ?? (tenants.count == 1 ? tenants.first : nil)
    }

    mutating func take(_ fields: CredentialFields, isInKnownCloud: Bool) {
        if homeAccountID == nil, let id = fields.homeAccountID { homeAccountID = id }
        guard isInKnownCloud, fields.kind == .account, ownTenant == nil, let realm = fields.realm else { return }
        if TenantWord(realm) == nil { tenants.insert(realm) }
    }

    /// The same for a row that was read before. All entries of a partition that name an account name the same account.
    mutating func take(_ row: FactsRow, of facts: PartitionFacts) {
        if row.kind.isInternalRecord { return }
        if homeAccountID == nil, let id = facts.string(facts.homeAccountID) { homeAccountID = UTF8Text(id) }
        guard row.flags.contains(.knownCloud), row.kind.isAccount, ownTenant == nil,
            let realm = facts.string(row.realm).map({ UTF8Text($0) })
        else { return }
        if TenantWord(realm) == nil { tenants.insert(realm) }
    }
}
