// SPDX-License-Identifier: Apache-2.0

/// The owner of an entry, read in one pass over its facts: only the members of ``CredentialFields`` that determine
/// where the entry is stored. Trimmed and folded, and nil if nothing is left.
package struct EntryOwner: Sendable {
    package let kind: EntryKind
    package private(set) var homeAccountID: UTF8Text?
    /// Read for accounts, and for entries without a home account id.
    package private(set) var username: UTF8Text?
    /// Read for entries with neither of the others.
    package private(set) var clientID: UTF8Text?
    package private(set) var realm: UTF8Text?

    package init(_ fields: CredentialFields) {
        kind = fields.kind
        homeAccountID = fields.homeAccountID
        username = fields.username
        clientID = fields.clientID
        realm = fields.realm
    }

    package init(_ facts: EntryFacts) {
        if facts.kind == .legacySingleResourceToken {
            self.init(CredentialFields(facts))
        } else {
            self.init(walkingThrough: facts)
        }
    }

    private init(walkingThrough facts: EntryFacts) {
        kind = facts.kind
        guard var reader = facts.reader else { return }
        var (homeAccountID, issuer, username, clientID, realm): (Member?, Member?, Member?, Member?, Member?)
        while let member = try? reader.next() {
            switch member.name {
            case .homeAccountID: homeAccountID = member
            case .issuer: issuer = member
            case .username: username = member
            case .clientID: clientID = member
            case .realm: realm = member
            default: break
            }
        }
        if let issuer = issuer.flatMap({ reader.text($0) }).flatMap(HomeAccountID.named) {
            let subject = homeAccountID.flatMap { reader.text($0) }
            self.homeAccountID = HomeAccountID.comparable(subject, issuer: issuer)
        } else {
            self.homeAccountID = homeAccountID.flatMap { reader.normalizedText($0) }.map(HomeAccountID.plain)
        }
        guard self.homeAccountID == nil || kind == .account else { return }
        self.username = username.flatMap { reader.normalizedText($0) }
        guard self.homeAccountID == nil, self.username == nil else { return }
        self.clientID = clientID.flatMap { reader.normalizedText($0) }
        self.realm = realm.flatMap { reader.normalizedText($0) }
    }

    private typealias Member = FactsReader.Member
}
