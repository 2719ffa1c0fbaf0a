internal import ByteOperations

/// What a token response says about an account. Laid over the account's old entry, it changes what it knows and keeps
/// the rest.
package struct NewAccount: MergedEntry, Hashable {
    package var homeAccountID: UTF8Text?
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
    /// The grant that made the account.
    package var accountSource: UTF8Text?
    /// Whether an entry without a username gets an empty one.
    package var needsUsername = false
}

extension NewAccount {
    package init(homeAccountID: UTF8Text?, environment: UTF8Text, realm: UTF8Text?, authorityType: UTF8Text = "MSSTS") {
        self.init(
            homeAccountID: homeAccountID,
            environment: environment,
            realm: realm,
            username: nil,
            authorityType: authorityType
        )
    }

    /// Whether an old entry says all of this already, under a key of its own: laid over it, this would change nothing.
    ///
    /// False also where that is not seen at a glance.
    package func isTold(by old: EntryFacts) -> Bool {
        guard old.kind == .account, var reader = old.reader, let key = reader.key, !key.hasEscapes else { return false }
        guard username != nil || !needsUsername else { return false }
        var told: MemberSet = []
        while let member = try? reader.next() {
            guard let name = member.name, !told.contains(name), let text = text(name) else { continue }
            guard member.form == .plainString, reader.bytes.extracting(member.range).isEqual(to: text.bytes)
            else { return false }
            told.insert(name)
        }
        for name in NewAccount.names where text(name) != nil && !told.contains(name) { return false }
        // What the key is made of was told, or else is the old entry's own.
        return self.key(.standard, over: old)?.bytes.isEqual(to: reader.bytes.extracting(key.range)) == true
    }

    /// The members that it may set, but for what depends on the format.
    private static let names: [MemberName] = [
        .homeAccountID, .environment, .realm, .localAccountID, .username, .authorityType, .name, .givenName,
        .familyName, .middleName, .alternativeAccountID, .clientInfo, .accountSource,
    ]

    /// What it sets a member to; nil for those that it leaves as they are.
    private func text(_ name: MemberName) -> UTF8Text? {
        switch name {
        case .homeAccountID: homeAccountID
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

    /// What reading the facts of the standard form gives, without writing and reading them.
    package var fields: CredentialFields {
        CredentialFields(
            kind: .account,
            homeAccountID: homeAccountID?.normalizedUnlessBlank,
            environment: environment.normalized(),
            realm: realm?.normalizedUnlessBlank,
            username: username?.normalizedUnlessBlank,
            localAccountID: localAccountID?.normalizedUnlessBlank
        )
    }

    /// The key that a format gives it; what it does not say, an old entry tells.
    private func key(_ format: KeyFormat, over old: EntryFacts?) -> UTF8Text? {
        KeyParts(
            kind: .account,
            homeAccountID: homeAccountID ?? old?.text(.homeAccountID),
            environment: environment,
            realm: realm ?? old?.text(.realm)
        ).documentKey(format)
    }

    /// The facts of the entry, under the key that the format gives it.
    ///
    /// Members of `old` that this account does not know stay, unknown ones too. The payload of `old` stays the payload:
    /// accounts have no secrets, unless an SDK put one there.
    ///
    /// - Throws: `invalidEntry` without any name for the account.
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
        draft.set(.environment, environment)
        draft.set(.realm, realm)
        draft.set(.localAccountID, localAccountID)
        // MSAL Python cannot do without.
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
