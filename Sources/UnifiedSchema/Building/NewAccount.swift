// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The information about an account in a token response. Merging it into the account's old entry replaces these members
/// and preserves the rest.
package struct NewAccount: MergedEntry, Hashable {
    package var homeAccountID: UTF8Text?
    /// Where the home account id is a subject at an issuer.
    package var issuer: UTF8Text?
    package var environment: UTF8Text
    package var realm: UTF8Text?
    package var localAccountID: UTF8Text?
    package var username: UTF8Text?
    /// `MSSTS`, `ADFS`, `AAD`, `MSA` or `Other`.
    package var authorityType: UTF8Text
    package var name: UTF8Text?
    package var givenName: UTF8Text?
    package var familyName: UTF8Text?
    package var middleName: UTF8Text?
    package var alternativeAccountID: UTF8Text?
    package var clientInfo: UTF8Text?
    /// The grant by which the account signed in.
    package var accountSource: UTF8Text?
    /// Whether an entry without a username gets an empty one.
    package var needsUsername = false
}

extension NewAccount {
    /// - Parameters:
    ///   - homeAccountID: the account, with its issuer; nil for an account without an id.
    ///   - environment: the host.
    ///   - realm: the tenant.
    ///   - authorityType: what issued its tokens.
    package init(homeAccountID: UTF8Text?, environment: UTF8Text, realm: UTF8Text?, authorityType: UTF8Text = "MSSTS") {
        let parts = homeAccountID.map(HomeAccountID.parts)
        self.init(
            homeAccountID: parts?.subject,
            issuer: parts?.issuer,
            environment: environment,
            realm: realm,
            username: nil,
            authorityType: authorityType
        )
    }

    /// Whether an old entry under the same key already contains all of this, so that merging would change nothing.
    ///
    /// May be false if finding out takes more than a quick comparison.
    package func isContained(in old: EntryFacts) -> Bool {
        guard old.kind == .account, var reader = old.reader, let key = reader.key, !key.hasEscapes else { return false }
        guard username != nil || !needsUsername else { return false }
        var matched: MemberSet = []
        while let member = try? reader.next() {
            guard let name = member.name, !matched.contains(name), let text = text(name) else { continue }
            guard member.form == .plainString, reader.bytes.extracting(member.range).isEqual(to: text.bytes)
            else { return false }
            matched.insert(name)
        }
        for name in NewAccount.names where text(name) != nil && !matched.contains(name) { return false }
        // The parts of the key were compared above, or come from the old entry itself.
        return self.key(.standard, over: old)?.bytes.isEqual(to: reader.bytes.extracting(key.range)) == true
    }

    /// The members that it may set, except those that depend on the format.
    private static let names: [MemberName] = [
        .homeAccountID, .issuer, .environment, .realm, .localAccountID, .username, .authorityType, .name, .givenName,
        .familyName, .middleName, .alternativeAccountID, .clientInfo, .accountSource,
    ]

    /// The new value of a member; nil for a member that is left unchanged.
    private func text(_ name: MemberName) -> UTF8Text? {
        switch name {
        case .homeAccountID: homeAccountID
        case .issuer: issuer
        case .environment: environment
        case .realm: realm
        case .localAccountID: localAccountID
        case .username: username
        case .authorityType: authorityType
        case .name: self.name
        case .givenName: givenName
        case .familyName: familyName
        case .middleName: middleName
        case .alternativeAccountID: alternativeAccountID
        case .clientInfo: clientInfo
        case .accountSource: accountSource
        default: nil
        }
    }

    /// The fields that decoding the facts in the standard form would give, without encoding them.
    package var fields: CredentialFields {
        CredentialFields(
            kind: .account,
            homeAccountID: HomeAccountID.comparable(homeAccountID, issuer: issuer),
            environment: environment.normalized(),
            realm: realm?.normalizedUnlessBlank,
            username: username?.normalizedUnlessBlank,
            localAccountID: localAccountID?.normalizedUnlessBlank
        )
    }

    /// The key in a format; missing parts come from an old entry.
    private func key(_ format: KeyFormat, over old: EntryFacts?) -> UTF8Text? {
        KeyParts(
            kind: .account,
            homeAccountID: homeAccountID ?? old?.text(.homeAccountID),
            environment: environment,
            realm: realm ?? old?.text(.realm)
        ).documentKey(format)
    }

    /// The facts of the entry, under its key in the format.
    ///
    /// Other members of `old`, including unknown ones, are preserved, and so is its payload: accounts have no secrets
    /// unless an SDK stored one there.
    ///
    /// - Throws: `invalidEntry` if no member names the account.
    package func facts(
        _ format: KeyFormat = .standard,
        mergedOver old: EntryFacts? = nil
    ) throws(SchemaError) -> EntryFacts {
        func isSaid(_ text: UTF8Text?) -> Bool { text?.isBlank == false }
        guard isSaid(homeAccountID) || isSaid(username) || isSaid(localAccountID) else {
            throw SchemaError(.invalidEntry, at: 0, rule: "an account needs an id or a user name")
        }
        var draft = old.map { EntryDraft($0) } ?? EntryDraft()
        draft.set(.homeAccountID, homeAccountID)
        draft.set(.issuer, issuer)
        draft.set(.environment, environment)
        draft.set(.realm, realm)
        draft.set(.localAccountID, localAccountID)
        // MSAL Python requires a username.
        let lacksUsername = needsUsername ? old?.has(.username) != true : format == .python && old == nil
        draft.set(.username, username ?? (lacksUsername ? "" : nil))
        draft.set(.authorityType, authorityType)
        draft.set(.name, name)
        draft.set(format == .android ? .firstName : .givenName, givenName)
        draft.set(.familyName, familyName)
        draft.set(.middleName, middleName)
        draft.set(.alternativeAccountID, alternativeAccountID)
        draft.set(.clientInfo, clientInfo)
        draft.set(.accountSource, accountSource)
        return draft.facts(kind: .account, section: .account, key: key(format, over: old) ?? "")
    }
}
