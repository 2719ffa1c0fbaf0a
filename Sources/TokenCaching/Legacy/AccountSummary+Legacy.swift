// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

extension AccountSummary {
    /// An account that only ADAL stored.
    struct LegacyEntry: Sendable {
        let entry: Entry
        /// Whether there is a refresh token that the requesting client obtained.
        let hasRefreshToken: Bool
    }

    /// The account of an ADAL item; nil if it has no user.
    static func legacyEntry(_ facts: EntryFacts, client: UTF8Text, sequence: UInt64) -> LegacyEntry? {
        guard let item = LegacyTokenView(facts), let user = item.userID?.trimmed(), !user.isEmpty else { return nil }
        let fields = CredentialFields(facts)
        let names = [item.givenName, item.familyName].compactMap { $0?.string }.filter { !$0.isEmpty }
        return LegacyEntry(
            entry: Entry(
                environment: fields.environment.string,
                realm: item.tenantID?.string ?? fields.realm?.string ?? "",
                localAccountID: item.objectID?.string,
                username: user.string,
                name: names.isEmpty ? nil : names.joined(separator: " "),
                givenName: item.givenName?.string,
                familyName: item.familyName?.string,
                sequence: sequence
            ),
            hasRefreshToken: item.hasRefreshToken && fields.clientID == client
        )
    }
}
