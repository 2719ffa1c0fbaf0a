internal import ByteOperations

/// Words that stand in place of a tenant, and what they mean.
package enum TenantWord: String, Hashable, Sendable, CaseIterable {
    /// Any account: its home tenant.
    case common
    /// Any work or school account: its home tenant.
    case organizations
    /// Personal accounts: the tenant that all of them share.
    case consumers

    /// The word that `tenant` is, in any case; nil for a tenant.
    package init?(_ tenant: UTF8Text) {
        let word = tenant.normalized()
        // Tenants are longer, as a rule: their ids have 36 bytes.
        guard word.byteCount <= TenantWord.longest else { return nil }
        self.init(rawValue: word.string)
    }

    private static let longest = allCases.reduce(0) { max($0, $1.rawValue.utf8.count) }

    package var text: UTF8Text { UTF8Text(rawValue) }

    /// The tenant of personal Microsoft accounts.
    package static let consumersTenant: UTF8Text = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The realm that the word means for an account.
    ///
    /// Nil where there is none: the account's home account id names no tenant, or that of personal accounts, which is no
    /// organization.
    package func realm(homeAccountID: UTF8Text) -> UTF8Text? {
        if self == .consumers { return TenantWord.consumersTenant }
        guard let home = TenantWord.homeTenant(of: homeAccountID) else { return nil }
        return meansHome(isPersonal: home == TenantWord.consumersTenant) ? home : nil
    }

    /// Whether the word means the tenant that an account is at home in.
    package func meansHome(isPersonal: Bool) -> Bool {
        switch self {
        case .common: true
        case .organizations: !isPersonal
        case .consumers: isPersonal
        }
    }

    /// The other word that means the same tenant for an account; nil where there is none. Some SDKs store tokens under the
    /// word that was asked for.
    package func synonym(isPersonal: Bool) -> TenantWord? {
        switch self {
        case .common: isPersonal ? .consumers : .organizations
        case .organizations, .consumers: meansHome(isPersonal: isPersonal) ? .common : nil
        }
    }

    /// What stands behind the last dot of a home account id, folded: the tenant that an account is at home in.
    package static func homeTenant(of homeAccountID: UTF8Text) -> UTF8Text? {
        let bytes = homeAccountID.bytes
        for offset in stride(from: bytes.byteCount - 1, through: 0, by: -1)
        where bytes.byte(at: offset) == UInt8(ascii: ".") {
            let tenant = UTF8Text(normalizing: bytes.extracting(offset + 1..<bytes.byteCount))
            return tenant.flatMap { $0.isEmpty ? nil : $0 }
        }
        return nil
    }
}
