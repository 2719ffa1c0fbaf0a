// SPDX-License-Identifier: Apache-2.0

/// What a lookup asks for.
struct Lookup: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case account(String)
        case username(String)
        case application
    }

    var subject: Subject
    var scopes: [String]
    var tenant: String?
    var environment: String?
    var tokenType: String?
    var keyID: String?
    var forceRefresh = false
    var claims = false
    var serverIsUnavailable = false
    var buffer: Int64?
    var isolatedClaims: String?
    var applicationIdentifier: String?
    /// The hash of the assertion of a service's caller.
    var userAssertion: String?
    /// Further parts of the request: an object of them, or the text of their hash.
    var extendedKey: ModelValue?

    var isOfApplication: Bool { subject == .application }

    /// What the token is kept apart by, in the order of that of an entry.
    var isolation: [String] {
        [
            isolatedClaims ?? "", told(extendedKey), oneAlphabet(userAssertion ?? ""),
            folded(applicationIdentifier ?? ""),
        ]
    }

    /// The type of the token, folded; nil for a bearer token.
    var scheme: String? {
        tokenType.map(folded).flatMap { $0.isEmpty || $0 == "bearer" ? nil : $0 }
    }
}
