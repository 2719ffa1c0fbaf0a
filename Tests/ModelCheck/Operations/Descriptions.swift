// SPDX-License-Identifier: Apache-2.0

extension Operation: CustomStringConvertible {
    var description: String {
        switch self {
        case .save(let response, let cache): "\(Self.name(cache)) saves \(response)"
        case .take(let document, let replaces):
            "import\(replaces ? " with --replace" : "")" + document.map { "\n      \($0)" }.joined()
        case .look(let lookup, let cache): "\(Self.name(cache)) looks up \(lookup)"
        case .list(let question, let cache): "\(Self.name(cache)) lists \(question)"
        case .signOut(let account, let cache): "\(Self.name(cache)) signs out of \(account)"
        case .wipe(let account, let cache): "\(Self.name(cache)) wipes \(account)"
        case .clear(let cache): "\(Self.name(cache)) clears the group"
        case .begin(let lookup, let cache): "\(Self.name(cache)) begins a renewal for \(lookup)"
        case .finish(let response, let cache): "\(Self.name(cache)) finishes its renewal with \(response)"
        case .refuse(let refusal, let cache): "\(Self.name(cache)) is refused its refresh token: \(refusal)"
        case .wait(let seconds): "\(seconds) s go by"
        }
    }

    private static func name(_ cache: Int) -> String { "\(clients[cache]) (\(cache))" }
}

/// Names and values of what is set, for people.
private func told(_ parts: [(String, Any?)]) -> String {
    parts.compactMap { name, value in value.map { "\(name): \($0)" } }.joined(separator: ", ")
}

extension Response: CustomStringConvertible {
    var description: String {
        let parts: [(String, Any?)] = [
            ("access", accessToken), ("refresh", refreshToken),
            ("id", claims.map { $0.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ") }),
            ("client_info", clientInfo), ("scope", granted), ("expires_in", expiresIn),
            ("ext_expires_in", extendedExpiresIn), ("refresh_in", refreshIn), ("foci", family),
            ("token_type", tokenType),
        ]
        return "{\(told(parts))} for \(grant) request {"
            + told([
                ("host", environment), ("tenant", tenant), ("scopes", scopes), ("account", account), ("key", keyID),
                ("isolated", isolatedClaims), ("application", applicationIdentifier), ("assertion", userAssertion),
            ]) + "}"
    }
}

extension Lookup: CustomStringConvertible {
    var description: String {
        let parts: [(String, Any?)] = [
            ("scopes", scopes), ("tenant", tenant), ("host", environment), ("type", tokenType), ("key", keyID),
            ("force", forceRefresh ? true : nil), ("claims", claims ? true : nil),
            ("unavailable", serverIsUnavailable ? true : nil), ("buffer", buffer),
            ("isolated", isolatedClaims), ("application", applicationIdentifier), ("assertion", userAssertion),
            ("parts", extendedKey),
        ]
        return "\(subject) {\(told(parts))}"
    }
}

extension AccountQuestion: CustomStringConvertible {
    var description: String {
        "accounts {"
            + told([
                ("id", identifier), ("username", username), ("local id", localAccountID),
                ("all", includesSignedOut ? true : nil),
            ]) + "}"
    }
}
