/// An account as it shows itself in one tenant, or, in JS, in all of them.
package struct AccountView: EntryView {
    package let facts: EntryFacts

    package init?(_ facts: EntryFacts) {
        guard facts.kind == .account else { return nil }
        self.facts = facts
    }

    package var homeAccountID: UTF8Text? { facts.text(.homeAccountID) }
    package var environment: UTF8Text? { facts.text(.environment) }
    package var realm: UTF8Text? { facts.text(.realm) }
    /// The account's object id in that tenant.
    package var localAccountID: UTF8Text? { facts.text(.localAccountID) }
    package var username: UTF8Text? { facts.text(.username) }
    /// `MSSTS`, `ADFS`, `AAD`, `MSA` or `Other`, as it was written.
    package var authorityType: UTF8Text? { facts.text(.authorityType) }
    package var name: UTF8Text? { facts.text(.name) }
    package var givenName: UTF8Text? { facts.text(.givenName, .firstName) }
    package var familyName: UTF8Text? { facts.text(.familyName) }
    package var middleName: UTF8Text? { facts.text(.middleName) }
    package var avatarURL: UTF8Text? { facts.text(.avatarURL) }
    package var clientInfo: UTF8Text? { facts.text(.clientInfo) }
    package var alternativeAccountID: UTF8Text? { facts.text(.alternativeAccountID) }
    /// The grant that made the account.
    package var accountSource: UTF8Text? { facts.text(.accountSource) }
    /// Ids that Windows gave the account, by client.
    package var wamAccountIDs: [UTF8Text: UTF8Text] { facts.texts(.wamAccountIDs) }
    package var userAssertionHash: UTF8Text? { facts.text(.userAssertionHash, .userAssertionHashCamel) }
    package var lastModificationTime: Int64? { facts.seconds(.lastModificationTime) }
    package var lastModificationApp: UTF8Text? { facts.text(.lastModificationApp) }

    /// How the account shows itself in each tenant, where JS keeps that: JSON texts inside an array.
    package var tenantProfiles: [TenantProfile] {
        (facts.json(.tenantProfiles)?.elements ?? []).compactMap { element in
            guard let text = element.text, let value = try? JSONValue(parsing: text.bytes) else { return nil }
            return TenantProfile(value)
        }
    }

    package struct TenantProfile: Hashable, Sendable {
        package let tenantID: UTF8Text
        package let localAccountID: UTF8Text?
        package let name: UTF8Text?
        package let username: UTF8Text?
        package let isHomeTenant: Bool

        init?(_ value: JSONValue) {
            guard let tenantID = value["tenantId"]?.text else { return nil }
            self.tenantID = tenantID
            localAccountID = value["localAccountId"]?.text
            name = value["name"]?.text
            username = value["username"]?.text
            isHomeTenant = value["isHomeTenant"]?.boolean ?? false
        }
    }
}
