// SPDX-License-Identifier: Apache-2.0

/// The parts of an access token's key, in the form of one SDK. All of them joined are its key in a document; those after
/// the account and the environment are its address in a keychain.
struct AccessTokenKey {
    /// Account, environment, type, client, realm and so on; nil is an empty part.
    private(set) var parts: [UTF8Text?]
    /// The index of the scopes. The parts before them are also an attribute of a keychain item.
    private(set) var scopesIndex = 5
    /// Text after the last part, without a dash between them.
    private(set) var suffix = ""

    init(_ entry: KeyParts, _ format: KeyFormat) {
        parts = [entry.homeAccountID, entry.environment, "AccessToken", entry.clientID, entry.realm, entry.target]
        let isolation = entry.isolation
        let boundTokenType = entry.boundTokenType
        let isBound = entry.kind == .accessTokenWithAuthScheme || boundTokenType != nil
        switch format {
        case .objectiveC:
            if isBound { parts[2] = EntryKind.accessTokenWithAuthScheme.typeString }
            if let application = isolation.application, !application.isBlank {
                parts.insert(application, at: scopesIndex)
                scopesIndex += 1
            }
            if let boundTokenType { parts.append(boundTokenType) }
            if let claims = isolation.claims, !claims.isBlank { suffix = "|" + ClaimsDigest.objectiveC(claims) }
        case .dotNet:
            // That SDK marks no other type of bound token.
            if boundTokenType == "pop" {
                parts[2] = EntryKind.accessTokenWithAuthScheme.typeString
                parts.append("pop")
            }
            appendExtension(entry.extensionHash(dotNet: true))
        case .java:
            // That SDK keeps the type of such keys.
            if let hash = entry.extensionHash(dotNet: false) { parts.append(hash) }
        case .python:
            appendExtension(entry.extensionHash(dotNet: false))
        case .go:
            // That SDK treats an entry without a token type as not bearer.
            if entry.tokenType?.asciiLowercased() != CredentialFields.bearer { parts.append(entry.tokenType) }
            appendExtension(entry.extensionHash(dotNet: false))
        case .javaScript:
            if isBound { parts[2] = EntryKind.accessTokenWithAuthScheme.typeString }
            let claims = entry.requestedClaimsHash ?? isolation.claims.map { UTF8Text(ClaimsDigest.javaScript($0)) }
            parts += [claims, boundTokenType]
        case .node5:
            if isBound { parts[2] = EntryKind.accessTokenWithAuthScheme.typeString }
            parts.append(boundTokenType)
            if let hash = entry.extensionHash(dotNet: false) { parts.append(hash) }
        case .android:
            if entry.kind == .accessTokenWithAuthScheme { parts[2] = entry.kind.typeString }
            for part in [isolation.application, entry.mamEnrollmentIdentifier] {
                if let part, !part.isEmpty { parts.append(part) }
            }
            if boundTokenType == "pop" { parts.append("pop") }
            if let claims = isolation.claims, !claims.isEmpty {
                parts.append(UTF8Text(ClaimsDigest.android(claims)))
            }
        }
    }

    /// Appends the hash of extra components, if there is one, and replaces the type with that of such keys.
    mutating func appendExtension(_ hash: UTF8Text?) {
        guard let hash else { return }
        parts[2] = "atext"
        parts.append(hash)
    }
}
