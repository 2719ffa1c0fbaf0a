// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Words that can be used in place of a tenant, and their meaning.
package enum TenantWord: String, Hashable, Sendable, CaseIterable {
    /// Any account: its home tenant.
    case common
    /// Any work or school account: its home tenant.
    case organizations
    /// Personal accounts: the tenant that all of them share.
    case consumers

    /// The word that `tenant` spells, in any case; nil for a tenant.
    package init?(_ tenant: UTF8Text) {
        self.init(tenant.bytes.trimmed())
    }

    /// The word that `tenant` spells, trimmed and in any case; nil for a tenant.
    package init?(_ tenant: RawSpan) {
        switch tenant.byteCount {
        case 6 where tenant.folds(to: "common"): self = .common
        case 9 where tenant.folds(to: "consumers"): self = .consumers
        case 13 where tenant.folds(to: "organizations"): self = .organizations
        default: return nil
        }
    }

    package var text: UTF8Text { UTF8Text(rawValue) }

    /// The tenant of personal Microsoft accounts.
    package static let consumersTenant: UTF8Text = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The realm that the word means for an account.
    ///
    /// Nil if there is none: the home account id names no tenant, or it names the tenant of personal accounts, which is
    /// not an organization.
    package func realm(homeAccountID: UTF8Text) -> UTF8Text? {
        if self == .consumers { return TenantWord.consumersTenant }
        guard let home = TenantWord.homeTenant(of: homeAccountID) else { return nil }
        return meansHome(isPersonal: home == TenantWord.consumersTenant) ? home : nil
    }

    /// Whether the word means the account's home tenant.
    package func meansHome(isPersonal: Bool) -> Bool {
        switch self {
        case .common: true
        case .organizations: !isPersonal
        case .consumers: isPersonal
        }
    }

    /// The part after the last dot of a home account id, folded: the account's home tenant. Nil for an account at an issuer,
    /// and for an id whose two parts are equal, as MSAL.NET makes it of a `client_info` without a tenant.
    package static func homeTenant(of homeAccountID: UTF8Text) -> UTF8Text? {
        let bytes = homeAccountID.bytes
        if HomeAccountID.atIssuer(bytes) != nil { return nil }
        for offset in stride(from: bytes.byteCount - 1, through: 0, by: -1)
        where bytes.byte(at: offset) == UInt8(ascii: ".") {
            guard let tenant = UTF8Text(normalizing: bytes.extracting(offset + 1..<bytes.byteCount)), !tenant.isEmpty
            else { return nil }
            return bytes.extracting(0..<offset).trimmed().isEqual(toFolded: tenant.bytes) ? nil : tenant
        }
        return nil
    }
}
