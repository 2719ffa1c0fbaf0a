// SPDX-License-Identifier: Apache-2.0

/// Changes the entry that MSAL for ObjC keeps per client. Unknown members are preserved.
///
/// If the map of accounts cannot be read, the entry is left unchanged.
package struct AccountMetadataChange {
    private let entry: EntryFacts
    private var draft: EntryDraft
    /// Nil if it is present and cannot be read.
    private var map: JSONValue?

    /// Nil if the entry is of another kind, or has no key.
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

    /// Records whether an account, identified by its folded home account id, is signed in, as that SDK does: signing
    /// out drops the redirected addresses.
    package mutating func setSignInState(_ state: SignInState, ofAccount account: UTF8Text) {
        guard let map else { return }
        let known = map.members.first { HomeAccountID.comparable($0.name) == account }
        var value = JSONValue.object([
            JSONValue.Member(name: "client_id", value: .string(entry.text(.clientID) ?? "")),
            JSONValue.Member(name: "home_account_id", value: .string(known?.name ?? account)),
        ])
        if let known, state != .signedOut, case .object = known.value { value = known.value }
        value = value.setting("sign_in_state", to: .string(UTF8Text(state.rawValue)))
        put(map.setting(known?.name ?? account, to: value))
    }

    /// Records the address to which a requested address resolved for an account, identified by its folded home account
    /// id. Does nothing if the account is missing, because its state is then unknown too.
    package mutating func setMeaning(
        of requested: AuthorityAddress,
        to cached: AuthorityAddress,
        ofAccount account: UTF8Text
    ) {
        guard let map, let known = map.members.first(where: { HomeAccountID.comparable($0.name) == account }),
            case .object = known.value
        else { return }
        let name = UTF8Text("\(MemberName.authorityMap.text)")
        let addresses = known.value[name] ?? .object([])
        let plain = addresses["URLMap-"] ?? .object([])
        guard case .object = addresses, case .object = plain else { return }
        let changed = addresses.setting("URLMap-", to: plain.setting(requested.url, to: .string(cached.url)))
        put(map.setting(known.name, to: known.value.setting(name, to: changed)))
    }

    /// Removes an account, even if it is the principal one.
    ///
    /// - Parameter account: a home account id, trimmed and folded.
    package mutating func remove(account: UTF8Text) {
        if let map, let known = map.members.first(where: { HomeAccountID.comparable($0.name) == account }) {
            put(map.setting(known.name, to: nil))
        }
        if entry.text(.principalHomeAccountID).map(HomeAccountID.comparable) == account {
            setPrincipal(nil, nil, environment: nil)
        }
    }

    /// Sets the principal account, or clears it for nil.
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
