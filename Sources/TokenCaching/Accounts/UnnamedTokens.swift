// SPDX-License-Identifier: Apache-2.0

package import UnifiedSchema

/// People's tokens that name neither a home account id nor a user, as removals see them: those of an account that has no
/// id either.
///
/// Nothing says which of several such accounts in a cloud has them. They are removed with the first of these accounts
/// that is removed, because no lookup uses them, and no token of a user who signed out may stay.
package struct UnnamedTokens {
    private let clouds: CloudTable
    /// The clouds of the accounts, by their preferred hosts.
    private let accountClouds: Set<UTF8Text>

    /// Nil if all of the accounts have an id.
    ///
    /// - Parameters:
    ///   - accounts: the entries of the accounts.
    ///   - clouds: the known clouds.
    package init?(ofAccounts accounts: [CredentialFields], _ clouds: CloudTable) {
        let nameless = accounts.filter { $0.kind == .account && $0.homeAccountID == nil }
        if nameless.isEmpty { return nil }
        self.clouds = clouds
        accountClouds = Set(nameless.map { clouds.preferredCacheHost(for: $0.environment) })
    }

    /// Whether an entry is a token of one of the accounts. Those that a service obtained on behalf of a user are not,
    /// because the assertion names their user.
    package func contain(_ fields: CredentialFields) -> Bool {
        guard fields.kind.isCredential, fields.kind != .legacySingleResourceToken, fields.homeAccountID == nil,
            fields.username == nil,
            fields.isolation.assertionHash == nil,
            accountClouds.contains(clouds.preferredCacheHost(for: fields.environment))
        else { return false }
        return !fields.kind.isAccessToken || NamelessToken.isOfPerson(fields) { true }
    }
}
