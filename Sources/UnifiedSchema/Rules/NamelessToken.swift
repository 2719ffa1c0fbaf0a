// SPDX-License-Identifier: Apache-2.0

/// Whose a token without a home account id is: a person's or an application's.
///
/// Some libraries store the tokens of both without an id. An application must never get a person's token as its own.
package enum NamelessToken {
    /// Whether the token is a person's.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - isBesidePerson: says whether an entry that only people have stands beside it, see ``PeopleBeside``. Called only
    ///     if the token itself does not say whose it is.
    /// - Returns: true for a person's, false for an application's.
    /// - Throws: the errors of `isBesidePerson`.
    package static func isOfPerson<Failure: Error>(
        _ token: CredentialFields,
        isBesidePerson: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        if token.isOfApplication { return false }
        if token.isolation.assertionHash != nil || token.target?.grantsSignIn == true { return true }
        return try isBesidePerson()
    }
}

/// The clients and clouds of which a person's entries without a home account id are stored: refresh tokens, id tokens
/// and accounts. Generic over the type of texts, because lookups compare symbols.
package struct PeopleBeside<Text: Hashable & Sendable>: Sendable {
    private struct Place: Hashable {
        /// Nil for any client: most account entries name none.
        let client: Text?
        let cloud: Text
    }

    private var places: Set<Place> = []

    package init() {}

    package var isEmpty: Bool { places.isEmpty }

    /// Whether entries of a kind show that a person has tokens of the client.
    package static func isEvidence(_ kind: EntryKind) -> Bool {
        kind.isRefreshToken || kind.isIDToken || kind == .account
    }

    /// Adds an entry that is evidence and has no home account id.
    package mutating func add(client: Text?, cloud: Text) {
        places.insert(Place(client: client, cloud: cloud))
    }

    /// Whether a person's entries stand beside a token.
    package func contain(client: Text, cloud: Text) -> Bool {
        places.contains(Place(client: client, cloud: cloud)) || places.contains(Place(client: nil, cloud: cloud))
    }
}

extension ScopeSet {
    /// Whether the server granted what only people can be granted: that they are identified, or stay signed in.
    package var grantsSignIn: Bool {
        scopes.contains { scope in
            let scope = scope.normalized()
            return scope == "openid" || scope == "offline_access"
        }
    }
}
