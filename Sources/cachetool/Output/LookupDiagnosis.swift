// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

/// Why a lookup is not a hit: the tokens that come nearest, for human readers and for programs.
struct LookupDiagnosis {
    let diagnosis: TokenDiagnosis
    /// The scopes as typed, because the library folds them to lower case.
    let scopes: [String]
    /// Whether a claims challenge was given.
    let hasClaims: Bool
    let now: Int64

    /// The fields for human readers.
    var fields: FieldList {
        var fields = FieldList()
        if !diagnosis.accounts.isEmpty {
            for account in diagnosis.accounts { fields.add("account", phrase(account)) }
            return fields
        }
        if let token = diagnosis.nearestToken {
            fields.add("nearest token", phrase(token), style: .warning)
            fields.add("its scopes", token.scopes.inOneLine)
        } else {
            fields.add("nearest token", "none is stored for this account")
        }
        guard let token = diagnosis.refreshToken else { return fields }
        fields.add("refresh token", phrase(token), style: token.shortfalls.isEmpty ? .plain : .warning)
        fields.add("refused", token.refusal.map(phrase), style: .bad)
        if !token.declinedScopes.isEmpty {
            fields.add(
                "declined",
                "the scopes " + asTyped(token.declinedScopes).joined(separator: " "),
                style: .warning
            )
        }
        return fields
    }

    private func phrase(_ account: Account) -> String {
        let tenants = account.tenantProfiles.map { "tenant \($0.tenant) of \($0.environment)" }
        let id = account.hasHomeAccountID ? account.id.text : "no home account id"
        return ([id, account.username ?? "no username"] + tenants).joined(separator: ", ")
    }

    private func phrase(_ token: TokenDiagnosis.NearestToken) -> String {
        if token.shortfalls.isEmpty {
            return hasClaims ? "valid, but the claims challenge requires a new one" : "valid"
        }
        return token.shortfalls.map { shortfall in
            switch shortfall {
            case .client: "is of app \(token.clientID)"
            case .environment: "is of the cloud of \(token.environment)"
            case .tenant: token.tenant.map { "is of tenant \($0)" } ?? "is of no tenant"
            case .isolation: "is isolated, for requests with other claims or by another application"
            case .tokenType: "is of type \(token.tokenType)"
            case .key: "is bound to another key"
            case .scopes(let missing): "lacks " + asTyped(missing).joined(separator: " ")
            case .expired: expiry(token.expiresOn)
            case .implausibleTimes: "has times that cannot be trusted"
            // A newer library may have more shortfalls than this program knows.
            @unknown default: "does not match (\(shortfall.name))"
            }
        }.joined(separator: ", ")
    }

    private func expiry(_ end: Timestamp?) -> String {
        guard let end = end?.secondsSince1970 else { return "has no expiry" }
        let text = HumanTime.relative(end, now: now)
        return end <= now ? "expired \(text)" : "expires \(text), too soon to be used"
    }

    private func phrase(_ token: TokenDiagnosis.StoredRefreshToken) -> String {
        var parts = [
            token.cachedAt.map { "stored " + HumanTime.full($0.secondsSince1970, now: now) }
                ?? "stored at an unknown time"
        ]
        for shortfall in token.shortfalls {
            switch shortfall {
            case .client: parts.append("is of app \(token.clientID), and not shared with this one")
            case .environment: parts.append("is of the cloud of \(token.environment)")
            case .expired: parts.append(expiry(token.expiresOn))
            default: parts.append("does not match (\(shortfall.name))")
            }
        }
        return parts.joined(separator: ", ")
    }

    private func phrase(_ refusal: TokenDiagnosis.Refusal) -> String {
        let cause =
            refusal.error.map { "the server said " + [$0, refusal.suberror].compactMap(\.self).joined(separator: "/") }
            ?? "the server returned the tokens of another account"
        let end =
            refusal.until.map { "no further request until " + HumanTime.full($0.secondsSince1970, now: now) }
            ?? "no further request with this refresh token"
        let way = refusal.isServerBusy ? "wait" : "the user can sign in now"
        return "\(cause); \(end); \(way)"
    }

    private func asTyped(_ folded: [String]) -> [String] {
        folded.map { scope in scopes.first { $0.lowercased() == scope } ?? scope }
    }
}

// MARK: - For programs

extension LookupDiagnosis {
    /// Writes the member `accounts`.
    func writeAccounts(_ json: JSONWriter) {
        json.array("accounts") {
            for account in diagnosis.accounts {
                json.objectElement {
                    json.member("username", account.username ?? "")
                    json.account(account.hasHomeAccountID ? account.id : nil)
                    json.array("tenants") {
                        for profile in account.tenantProfiles {
                            json.objectElement {
                                json.member("tenant", profile.tenant)
                                json.member("environment", profile.environment)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes the members `nearest_token` and `refresh_token`.
    func write(_ json: JSONWriter) {
        if let token = diagnosis.nearestToken {
            json.object("nearest_token") { write(token, json) }
        } else {
            json.null("nearest_token")
        }
        if let token = diagnosis.refreshToken {
            json.object("refresh_token") { write(token, json) }
        } else {
            json.null("refresh_token")
        }
    }

    private func write(_ token: TokenDiagnosis.NearestToken, _ json: JSONWriter) {
        json.member("client_id", token.clientID)
        json.member("environment", token.environment)
        json.member("tenant", token.tenant ?? "")
        json.member("scopes", token.scopes)
        json.member("token_type", token.tokenType)
        json.member("cached_at", token.cachedAt?.secondsSince1970)
        json.member("expires_on", token.expiresOn?.secondsSince1970)
        json.member("shortfalls", token.shortfalls.map(\.name))
        var missing: [String] = []
        for case .scopes(let scopes) in token.shortfalls { missing += asTyped(scopes) }
        json.member("missing_scopes", missing)
    }

    private func write(_ token: TokenDiagnosis.StoredRefreshToken, _ json: JSONWriter) {
        json.member("client_id", token.clientID)
        json.member("family_id", token.familyID)
        json.member("environment", token.environment)
        json.member("stored_on", token.cachedAt?.secondsSince1970)
        json.member("expires_on", token.expiresOn?.secondsSince1970)
        json.member("shortfalls", token.shortfalls.map(\.name))
        json.member("declined_scopes", asTyped(token.declinedScopes))
        guard let refusal = token.refusal else { return json.null("refusal") }
        json.object("refusal") {
            json.member("error", refusal.error)
            json.member("suberror", refusal.suberror)
            json.member("until", refusal.until?.secondsSince1970)
            json.member("of_server", refusal.isServerBusy)
        }
    }
}
