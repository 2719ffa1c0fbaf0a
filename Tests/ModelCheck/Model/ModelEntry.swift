// SPDX-License-Identifier: Apache-2.0

/// The value of a member of an entry: what of JSON the sequences use.
enum ModelValue: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case null
    /// An object of texts.
    case object([String: String])
    /// Anything else, by its JSON text.
    case other(String)
}

/// A stored entry: where it stands, and its members.
struct ModelEntry: Hashable, Sendable {
    var section: String
    var key: String
    var members: [String: ModelValue]
    /// The change that wrote it; a later one has a greater number.
    var commit = 0
    /// Its place in the document that it was imported with.
    var position = 0
    /// Whether the cache made it. Otherwise it was imported, and nobody may have touched it.
    var isMade = false

    /// A member as text; nil where it is absent, null or nothing but white space.
    func text(_ names: String...) -> String? {
        for name in names {
            switch members[name] {
            case .text(let text) where !folded(text).isEmpty: return text
            case .number(let number): return String(number)
            default: continue
            }
        }
        return nil
    }

    func seconds(_ names: String...) -> Int64? {
        for name in names {
            switch members[name] {
            case .text(let text): if let seconds = Int64(text) { return seconds }
            case .number(let number): return number
            default: continue
            }
        }
        return nil
    }
}

// MARK: - What it is

extension ModelEntry {
    var isAccessToken: Bool { section == "AccessToken" || section == "AccessToken_With_AuthScheme" }
    var isRefreshToken: Bool { section == "RefreshToken" }
    var isIDToken: Bool { section == "IdToken" }
    var isCredential: Bool { isAccessToken || isRefreshToken || isIDToken }
    var isAccount: Bool { section == "Account" }
    var isAppMetadata: Bool { section == "AppMetadata" }

    var secret: String { text("secret") ?? "" }
    /// Whether it is a credential without a token, which nobody can use: a token has visible characters of ASCII only.
    var isBlank: Bool {
        guard isCredential, !isMade else { return false }
        guard case .text(let secret) = members["secret"], !folded(secret).isEmpty else { return true }
        return !secret.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
    /// Whose it is: the home account id, or for an account entry without one its username. Empty for a credential that
    /// names nobody.
    var account: String {
        guard let id = text("home_account_id") else { return isAccount ? Self.nameless(username) : "" }
        return folded(id)
    }
    /// What stands for an account without a home account id, known by its username.
    static func nameless(_ username: String) -> String { "username:\(folded(username))" }
    var isNameless: Bool { text("home_account_id") == nil }
    var client: String { folded(text("client_id") ?? "") }
    var realm: String { folded(text("realm") ?? "") }
    var username: String { folded(text("username") ?? "") }
    var cloud: String { Clouds.cloud(of: text("environment") ?? "") }
    var family: String? { text("family_id").map(folded) }
    var keyID: String? { text("kid", "keyid", "key_id") }

    /// The type of the token, folded; nil for a bearer token.
    var scheme: String? {
        let type = folded(text("token_type", "access_token_type") ?? "")
        return type.isEmpty || type == "bearer" ? nil : type
    }

    var scopes: Set<String> {
        Set((text("target") ?? "").split(separator: " ").map { folded(String($0)) })
    }

    /// What keeps a token apart from plain ones: claims, further components, the caller on whose behalf it was got.
    var isolation: [String] {
        [
            text("requested_claims", "requestedClaims") ?? "", told(extendedKey),
            assertion,
            folded(text("application_cache_identifier", "application_identifier") ?? ""),
        ]
    }

    /// The further parts of its key, whichever library wrote them: their hash, or an object of them.
    var extendedKey: ModelValue? {
        if let hash = text("ext_cache_key") { return .text(hash) }
        for name in ["ext", "additionalCacheKeyComponents"] {
            if case .object = members[name] { return members[name] }
        }
        if let resource = text("resource") { return .object(["resource": resource]) }
        // What no member explains is the hash of something that nobody knows yet.
        let isExplained = !isAccessToken || !key.hasSuffix("-" + Self.keyPart) || !key.hasPrefix(folded(account) + "-")
        return isExplained ? nil : .text(Self.keyPart)
    }

    /// A part that sequences put at the end of a key.
    static let keyPart = "part.one"

    /// The hash of the assertion on whose behalf it was got; empty for none.
    var assertion: String { oneAlphabet(text("user_assertion_hash", "userAssertionHash") ?? "") }

    var isIsolated: Bool { isolation.contains { !$0.isEmpty } }

    /// When it was made, where it says so.
    var time: Int64? { seconds("cached_at") ?? seconds("last_modification_time") }
}

/// The further parts of a key as one text; empty for none.
func told(_ extendedKey: ModelValue?) -> String {
    switch extendedKey {
    case .text(let hash): folded(hash)
    case .object(let parts): parts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
    default: ""
    }
}

/// Base64 as hashes are compared: in the alphabet that is safe in addresses, without padding. A text that is too short
/// for a hash is a key that an application chose.
func oneAlphabet(_ base64: String) -> String {
    guard base64.utf8.count(where: { $0 != UInt8(ascii: "=") }) == 43 else { return base64 }
    var text = ""
    for character in base64 where character != "=" {
        text.append(character == "+" ? "-" : character == "/" ? "_" : character)
    }
    return text
}

/// A text as identities are compared: without white space around it and without regard to the case of A-Z.
func folded(_ text: String) -> String {
    let lower = text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    let isSpace = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
    let trimmed = lower.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    return String(decoding: Array(trimmed), as: UTF8.self)
}
