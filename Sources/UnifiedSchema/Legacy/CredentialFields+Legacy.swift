extension CredentialFields {
    /// What lookups compare of an item of ADAL.
    ///
    /// The environment is the host of its authority and the realm the first part of its path. When it was cached is the
    /// time of a clock that nobody knows (see ``LegacyTimes``): it tells newer from older and nothing else. When its
    /// access token ends is left out for that reason.
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
