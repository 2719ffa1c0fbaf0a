// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

/// The result of `cachetool lookup`, for human readers and for programs.
struct LookupAnswer {
    let decision: TokenDecision
    let client: String
    /// Whether a claims challenge was given, which bypasses stored tokens.
    let hasClaims: Bool
    let now: Int64
    /// Whether any entry of the account belongs to the requesting application.
    var isClientKnown = true
    /// Why the lookup is not a hit; nil for a hit.
    var diagnosis: LookupDiagnosis?

    /// Whether the user has to sign in.
    var needsPerson: Bool {
        if case .interactionRequired = decision { true } else { false }
    }

    /// Whether the lookup found a valid token.
    var isHit: Bool {
        if case .valid = decision { true } else { false }
    }

    /// The decision in one word, for programs.
    var word: String {
        switch decision {
        case .valid: "hit"
        case .renew: "renew"
        case .interactionRequired: "interaction"
        // A newer library may have more decisions than this program knows.
        @unknown default: "unknown"
        }
    }

    /// The reason in one word, for programs.
    var reason: String {
        switch decision {
        case .valid(let token):
            if token.isExtended { return "extendedLifetime" }
            return token.shouldRenew ? "renewSoon" : "valid"
        case .renew(let token, _):
            if hasClaims { return "claimsRequested" }
            return token.familyID == nil ? "noValidAccessToken" : "noValidAccessTokenButFamily"
        case .interactionRequired(let reason):
            return reason.description
        @unknown default:
            return word
        }
    }

    /// What happened and what to do next, for human readers.
    private var sentence: String {
        switch decision {
        case .valid(let token):
            if token.isExtended { return "an expired token that may be used while the server cannot be reached" }
            return token.shouldRenew
                ? "the cache has a valid access token, which the server wants renewed by now"
                : "the cache has a valid access token"
        case .renew(let token, _):
            let how = token.familyID == nil ? "a refresh token" : "a refresh token of a family, which this app may try"
            return hasClaims
                ? "the claims challenge bypasses stored tokens; the cache has \(how)"
                : "the cache has no valid access token, but \(how)"
        case .interactionRequired(let reason):
            return LookupAnswer.sentence(reason)
        @unknown default:
            return "this version of cachetool does not know the library's answer"
        }
    }

    /// A command that helps from here; nil if there is none.
    var advice: String? {
        switch decision {
        case .interactionRequired(.accountUnknown): "cachetool accounts --all shows all accounts."
        case .renew where !isClientKnown: "cachetool list shows which apps have entries."
        default: nil
        }
    }

    private static func sentence(_ reason: InteractionReason) -> String {
        switch reason {
        case .accountUnknown: "nothing is stored for that account; the user has to sign in"
        case .refreshTokenMissing:
            "there is neither a valid access token nor a refresh token; the user has to sign in"
        case .tokensExpired: "all access tokens have expired and there is no refresh token; the user has to sign in"
        case .claimsRequested:
            "the claims challenge bypasses stored tokens and there is no refresh token; the user has to sign in"
        case .refreshTokenLost:
            "the server refused the refresh token for good, so it was removed; the user has to sign in"
        case .signedOut: "the account is signed out of this app; only the user can sign in again"
        case .severalAccounts:
            "several accounts have that name; give the full id of one, or add --tenant or --environment"
        case .applicationTokenMissing: "the cache has no valid token of the app; get one with the app's credentials"
        default: "the user has to sign in (\(reason))"
        }
    }
}

// MARK: - For human readers

extension LookupAnswer {
    /// Prints the answer.
    func write(to console: Console, showsSecret: Bool) throws {
        let style: Style = needsPerson ? .bad : word == "hit" ? .good : .warning
        let head = style.applied(to: word, isOn: console.isColoured)
        // Indent by two spaces, like the fields below.
        let text = WrappedText.text(word + ": " + sentence, width: console.columns, indent: 2)
        console.write(line: head + text.dropFirst(word.count))
        var fields = fields
        if let diagnosis { fields.add(diagnosis.fields) }
        fields.write(to: console, indent: 2)
        guard showsSecret, case .valid(let token) = decision else { return }
        console.output.write("  token\n  ")
        try token.withSecret { bytes throws(TokenCacheError) in
            SecretText.writeVisible(bytes, to: console.output)
        }
        console.output.write("\n")
    }

    private var fields: FieldList {
        var fields = FieldList()
        switch decision {
        case .valid(let token):
            fields.add("scopes", token.scopes.inOneLine)
            fields.add("tenant", token.tenant)
            fields.add("environment", token.environment)
            if token.tokenType != "bearer" { fields.add("type", token.tokenType) }
            fields.add("key", token.keyID)
            fields.add("expires", HumanTime.full(token.expiresOn.secondsSince1970, now: now))
            fields.add("renew from", token.refreshOn.map { HumanTime.full($0.secondsSince1970, now: now) })
            fields.add("stored", token.cachedAt.map { HumanTime.full($0.secondsSince1970, now: now) })
            fields.add("stale", token.staleness.map { "the newest state could not be read (\($0))" }, style: .warning)
        case .renew(let token, let stillValid):
            fields.add("environment", token.environment)
            fields.add("tenant", token.tenant)
            if !isClientKnown {
                let meaning = token.familyID == nil ? "" : "; only the server knows whether it is of the family"
                fields.add("app", "no entries of this app are stored for this account" + meaning, style: .warning)
            }
            fields.add("family", token.familyID)
            if token.clientID != client.lowercased() { fields.add("obtained by", token.clientID) }
            fields.add(
                "still valid",
                stillValid.map { "an access token, until " + HumanTime.full($0.expiresOn.secondsSince1970, now: now) }
            )
        case .interactionRequired:
            break
        @unknown default:
            break
        }
        return fields
    }
}

// MARK: - For programs

extension LookupAnswer {
    /// Writes the document. The member `secret` is always an access token, so that scripts can never send a refresh
    /// token to a resource.
    func write(_ json: JSONWriter, group: String?, showsSecret: Bool) throws {
        try json.document {
            json.member("group", group)
            json.member("decision", word)
            json.member("reason", reason)
            json.member("client_id", client)
            switch decision {
            case .valid(let token):
                try write(token, json, showsSecret: showsSecret)
            case .renew(let token, let stillValid):
                json.member("environment", token.environment)
                json.member("tenant", token.tenant)
                json.member("request_tenant", token.requestTenant)
                json.account(token.accountID)
                json.member("family_id", token.familyID)
                json.member("still_valid_until", stillValid?.expiresOn.secondsSince1970)
            case .interactionRequired:
                diagnosis?.writeAccounts(json)
            @unknown default:
                break
            }
            diagnosis?.write(json)
        }
    }

    private func write(_ token: AccessToken, _ json: JSONWriter, showsSecret: Bool) throws {
        json.member("environment", token.environment)
        json.member("tenant", token.tenant)
        json.member("scopes", token.scopes)
        json.member("token_type", token.tokenType)
        json.member("key_id", token.keyID)
        json.member("cached_at", token.cachedAt?.secondsSince1970)
        json.member("expires_on", token.expiresOn.secondsSince1970)
        json.member("extended_expires_on", token.extendedExpiresOn?.secondsSince1970)
        json.member("refresh_on", token.refreshOn?.secondsSince1970)
        json.member("renew_now", token.shouldRenew)
        json.member("stale", token.staleness?.description)
        guard showsSecret else { return }
        try token.withSecret { bytes throws(TokenCacheError) in
            json.member("secret", secret: bytes)
        }
    }
}
