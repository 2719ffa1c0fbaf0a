// SPDX-License-Identifier: Apache-2.0

package import UnifiedSchema

/// People's tokens that name neither a home account id nor a user, as removals see them: those beside entries of an
/// account that have no id either.
///
/// Nothing says which of several people in a cloud has them. They are removed with the first of these whose entries are
/// removed, because no lookup uses them, no token of a user who signed out may stay, and without such an entry beside
/// it an access token would count as an application's.
package struct UnnamedTokens {
    private let clouds: CloudTable
    /// Where the entries without an id stand, by the preferred hosts of their clouds.
    private var people = PeopleBeside<UTF8Text>()

    /// Nil if all of the entries have an id, or are none that only people have.
    ///
    /// - Parameters:
    ///   - entries: the entries of the accounts.
    ///   - clouds: the known clouds.
    package init?(besides entries: some Sequence<CredentialFields>, _ clouds: CloudTable) {
        self.clouds = clouds
        for entry in entries where entry.homeAccountID == nil && PeopleBeside<UTF8Text>.isEvidence(entry.kind) {
            people.add(
                client: entry.kind == .account ? nil : entry.clientID,
                cloud: clouds.preferredCacheHost(for: entry.environment)
            )
        }
        if people.isEmpty { return nil }
    }

    /// Whether an entry is a token of one of the accounts. Those that a service obtained on behalf of a user are not,
    /// because the assertion names their user.
    package func contain(_ fields: CredentialFields) -> Bool {
        guard fields.kind.isCredential, fields.kind != .legacySingleResourceToken, fields.homeAccountID == nil,
            fields.username == nil,
            fields.isolation.assertionHash == nil,
            people.contain(client: fields.clientID, cloud: clouds.preferredCacheHost(for: fields.environment))
        else { return false }
        return !fields.kind.isAccessToken || NamelessToken.isOfPerson(fields) { true }
    }
}
