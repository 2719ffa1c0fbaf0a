internal import UnifiedSchema

/// Whose entries a partition holds, as they say it themselves.
struct PartitionOwner {
    private(set) var homeAccountID: UTF8Text?
    /// The tenants of known clouds that account entries name.
    private var tenants: Set<UTF8Text> = []

    /// The tenant that the account is at home in. Where its id names none (a response without `client_info`), it is the
    /// only one that knows the account; of several nobody can tell.
    var homeTenant: UTF8Text? {
        homeAccountID.flatMap { TenantWord.homeTenant(of: $0) } ?? (tenants.count == 1 ? tenants.first : nil)
    }

    mutating func take(_ fields: CredentialFields, isInKnownCloud: Bool) {
        homeAccountID = homeAccountID ?? fields.homeAccountID
        guard isInKnownCloud, fields.kind == .account, let realm = fields.realm else { return }
        if TenantWord(realm) == nil { tenants.insert(realm) }
    }
}
