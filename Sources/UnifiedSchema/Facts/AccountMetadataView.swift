// SPDX-License-Identifier: Apache-2.0

/// The metadata that MSAL for ObjC keeps per client: its principal account, and for each account whether it is signed
/// in and which addresses were redirected.
package struct AccountMetadataView: Sendable {
    private let facts: EntryFacts

    /// Nil if the entry is of another kind.
    package init?(_ facts: EntryFacts) {
        guard facts.kind == .accountMetadata else { return nil }
        self.facts = facts
    }

    package var clientID: UTF8Text? { facts.text(.clientID) }
    package var principalHomeAccountID: UTF8Text? { facts.text(.principalHomeAccountID) }
    package var principalUsername: UTF8Text? { facts.text(.principalUsername) }
    package var principalAccountEnvironment: UTF8Text? { facts.text(.principalAccountEnvironment) }

    /// By home account id, in the order of the entry.
    package var accounts: [Account] {
        (facts.json(.accountMetadataMap)?.members ?? []).map { Account(homeAccountID: $0.name, $0.value) }
    }

    package struct Account: Sendable {
        /// Its name in the map.
        package let homeAccountID: UTF8Text
        package let signInState: SignInState
        /// The addresses that plain requests asked for, and the cached ones, in the order of the entry.
        package let urlMap: [(requested: UTF8Text, cached: UTF8Text)]

        init(homeAccountID: UTF8Text, _ value: JSONValue) {
            self.homeAccountID = homeAccountID
            signInState = value["sign_in_state"]?.text.map { SignInState($0) } ?? .unknown
            let map = value[UTF8Text("\(MemberName.authorityMap.text)")]
            urlMap = (map?["URLMap-"]?.members ?? []).compactMap { member in
                member.value.text.map { (member.name, $0) }
            }
        }

        /// The addresses to which requested addresses resolved.
        package var meanings: [(requested: AuthorityAddress, cached: AuthorityAddress)] {
            urlMap.compactMap { requested, cached in
                guard let requested = AuthorityAddress(requested), let cached = AuthorityAddress(cached) else {
                    return nil
                }
                return (requested, cached)
            }
        }
    }
}

/// Whether an account is signed in to a client.
package enum SignInState: String, Hashable, Sendable, CaseIterable {
    case unknown
    case signedIn = "signed_in"
    case signedOut = "signed_out"

    /// Parses the text; everything but the three words is unknown.
    package init(_ text: UTF8Text) {
        self = SignInState(rawValue: text.string) ?? .unknown
    }
}
