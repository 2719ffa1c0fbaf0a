// SPDX-License-Identifier: Apache-2.0

extension CredentialFields {
    /// The fields of an ADAL item that lookups compare.
    ///
    /// The environment is the host of its authority and the realm the first part of its path. The time at which it was
    /// cached is in an unknown time zone (see ``LegacyTimes``): it only orders items by age. For the same reason the
    /// expiry of its access token is omitted.
    init(legacy facts: EntryFacts) {
        self.init(kind: .legacySingleResourceToken)
        guard let item = LegacyTokenView(facts) else { return }
        let authority = item.authority.flatMap { LegacyAuthority($0) }
        environment = authority?.host ?? ""
        realm = authority?.tenant ?? CredentialFields.normalized(item.servicePrincipalTenant)
        clientID = CredentialFields.normalized(item.clientID ?? item.servicePrincipalID) ?? ""
        familyID = CredentialFields.normalized(item.familyID)
        username = CredentialFields.normalized(item.userID)
        localAccountID = CredentialFields.normalized(item.objectID)
        let end = item.expiresOnText.flatMap { LegacyTimes.parse($0) }
        cachedAt = item.createdOnText.flatMap { LegacyTimes.parse($0) } ?? end.map { $0 - (item.expiresIn ?? 0) }
    }

    private static func normalized(_ text: UTF8Text?) -> UTF8Text? {
        text.map { $0.normalized() }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
