// SPDX-License-Identifier: Apache-2.0

/// A JSON item of ADAL: an access token, a refresh token, or both. The tokens are in the payload.
///
/// Read from ADAL caches and never written.
package struct LegacyTokenView: Sendable {
    private let facts: EntryFacts

    /// Nil if the entry is of another kind.
    package init?(_ facts: EntryFacts) {
        guard facts.kind == .legacySingleResourceToken else { return nil }
        self.facts = facts
    }

    package var hasRefreshToken: Bool { facts.hasSecret(.legacyRefreshToken) }
    package var authority: UTF8Text? { facts.text(.legacyAuthorityField, .authority) }
    /// Nil for a refresh token that is valid for every resource.
    package var resource: UTF8Text? { facts.text(.legacyResource) }
    package var clientID: UTF8Text? { facts.text(.legacyClientIDField, .legacyClientID, .clientID) }
    /// The user's principal name.
    package var userID: UTF8Text? { facts.text(.legacyUserID) }
    package var tenantID: UTF8Text? { facts.text(.legacyTenantID) }
    package var givenName: UTF8Text? { facts.text(.legacyGivenName) }
    package var familyName: UTF8Text? { facts.text(.legacyFamilyName) }
    package var objectID: UTF8Text? { facts.text(.legacyObjectID) }
    package var isMultiResource: Bool? { facts.boolean(.legacyIsMultiResource) }
    package var familyID: UTF8Text? { facts.text(.legacyFamilyID, .familyID) }
    /// Seconds.
    package var expiresIn: Int64? { facts.seconds(.legacyExpiresIn) }
    /// As ADAL writes it: local time, not seconds.
    package var expiresOnText: UTF8Text? { facts.text(.legacyExpiresOn) }
    package var createdOnText: UTF8Text? { facts.text(.legacyCreatedOn) }
    package var servicePrincipalID: UTF8Text? { facts.text(.legacyServicePrincipalID) }
    package var servicePrincipalTenant: UTF8Text? { facts.text(.legacyServicePrincipalTenant) }
}
