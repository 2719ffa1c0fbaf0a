/// Lays what changed over the entry that MSAL for ObjC keeps per client. Members that this does not know stay.
///
/// Where the map of accounts cannot be read, the entry stays as it is.
package struct AccountMetadataChange {
    private let entry: EntryFacts
    private var draft: EntryDraft
    /// Nil where it is there and cannot be read.
    private var map: JSONValue?

    /// Nil where the entry is of another kind, or has no key.
    package init?(_ entry: EntryFacts) {
        guard entry.kind == .accountMetadata, entry.key != nil else { return nil }
        self.entry = entry
        draft = EntryDraft(entry)
        guard entry.has(.accountMetadataMap) else {
            map = .object([])
            return
        }
        if let stored = entry.json(.accountMetadataMap), case .object = stored { map = stored }
    }

    /// The entry with all changes.
    package var facts: EntryFacts {
        draft.facts(kind: .accountMetadata, section: .accountMetadata, key: entry.key ?? "")
    }

    /// Notes whether an account, told by its folded home account id, is signed in, as that SDK does: signing out forgets
    /// the addresses that were redirected.
    package mutating func setSignInState(_ state: SignInState, ofAccount account: UTF8Text) {
        guard let map else { return }
        let known = map.members.first { $0.name.normalized() == account }
        var value = JSONValue.object([
            JSONValue.Member(name: "client_id", value: .string(entry.text(.clientID) ?? "")),
            JSONValue.Member(name: "home_account_id", value: .string(known?.name ?? account)),
        ])
        if let known, state != .signedOut, case .object = known.value { value = known.value }
        value = value.setting("sign_in_state", to: .string(UTF8Text(state.rawValue)))
        put(map.setting(known?.name ?? account, to: value))
    }

    /// Notes what an address that was asked for turned out to mean for an account, told by its folded home account id. Nothing
    /// where the account is not there: then nothing is known of its state either.
    package mutating func setMeaning(
        of requested: AuthorityAddress,
        to cached: AuthorityAddress,
        ofAccount account: UTF8Text
    ) {
        guard let map, let known = map.members.first(where: { $0.name.normalized() == account }),
            case .object = known.value
        else { return }
        let name = UTF8Text("\(MemberName.authorityMap.text)")
        let addresses = known.value[name] ?? .object([])
        let plain = addresses["URLMap-"] ?? .object([])
        guard case .object = addresses, case .object = plain else { return }
        let changed = addresses.setting("URLMap-", to: plain.setting(requested.url, to: .string(cached.url)))
        put(map.setting(known.name, to: known.value.setting(name, to: changed)))
    }

    /// Takes an account away, also where it is the principal one.
    ///
    /// - Parameter account: a home account id, trimmed and folded.
    package mutating func remove(account: UTF8Text) {
        if let map, let known = map.members.first(where: { $0.name.normalized() == account }) {
            put(map.setting(known.name, to: nil))
        }
        if entry.text(.principalHomeAccountID)?.normalized() == account { setPrincipal(nil, nil, environment: nil) }
    }

    /// Sets the principal account; none for nil.
    package mutating func setPrincipal(_ homeAccountID: UTF8Text?, _ username: UTF8Text?, environment: UTF8Text?) {
        for (name, text) in [
            (MemberName.principalHomeAccountID, homeAccountID), (.principalUsername, username),
            (.principalAccountEnvironment, environment),
        ] {
            if let text { draft.set(name, text) } else { draft.remove(name) }
        }
    }

    private mutating func put(_ map: JSONValue) {
        self.map = map
        var json: [UInt8] = []
        map.write(to: &json)
        draft.set(.accountMetadataMap, json: json)
    }
}
