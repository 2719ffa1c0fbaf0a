// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ReferenceModel {
    /// Takes in a token response.
    ///
    /// - Parameters:
    ///   - response: what the endpoint sent.
    ///   - client: who saves it.
    ///   - renewal: what was known when the refresh token was handed out, where the caller says that.
    /// - Returns: the code of the refusal; nil where it is taken in.
    mutating func save(_ response: Response, client: String, renewal: PendingRenewal? = nil) -> String? {
        if response.grant == .application { return saveForApplication(response, client: client) }
        let told = response.clientInfo ?? (Clouds.isMicrosoft(response.environment) ? nil : response.claims?["sub"])
        guard var id = told ?? response.account ?? response.claims?["sub"] else {
            return response.grant == .renewal ? "invalidRequest" : "invalidResponse"
        }
        if response.grant == .renewal, let asked = response.account, folded(asked) != folded(id),
            Self.withoutPolicy(asked) == Self.withoutPolicy(id)
        {
            id = asked
        }
        let account = folded(id)
        if response.grant == .renewal {
            if let renewal {
                // What the server sent for somebody else is not stored.
                if account != renewal.token.account { return nil }
                if isOvertaken(renewal) || state(client, account) == .signedOut {
                    rotate(renewal, response)
                    return "signedOut"
                }
            } else {
                if let asked = response.account, folded(asked) != account { return nil }
                guard state(client, account) != .signedOut, canRenew(account, client) else { return "signedOut" }
            }
        }

        let environment = Clouds.cloud(of: response.environment)
        let realm = savedRealm(response, account: account, cloud: environment)
        let common: [String: ModelValue] = [
            "home_account_id": .text(id), "environment": .text(environment), "client_id": .text(client),
            "realm": .text(realm),
        ]
        let commit = nextCommit()
        let isHere = { (entry: ModelEntry) in
            entry.account == account && entry.cloud == environment && entry.client == client
        }

        purge(account, client)
        if let accessToken = made(response, common, commit) {
            entries.removeAll { isHere($0) && $0.isReplaced(by: accessToken) }
            entries.append(accessToken)
        }
        if let secret = response.refreshToken { saveRefreshToken(secret, response, common, commit) }
        if response.claims != nil {
            entries.removeAll { $0.isIDToken && isHere($0) && $0.isOfRealm(folded(realm)) && !$0.isOfFirstVersion }
            entries.append(
                ModelEntry(section: "IdToken", key: "", members: common, commit: commit, isMade: true)
            )
        }
        if response.claims != nil || response.clientInfo != nil { saveAccount(response, common, commit) }
        saveAppMetadata(response, client, environment, commit)
        setState(.signedIn, client, account)
        return nil
    }

    /// Whether a renewal may be stored: the client is signed in, or could have had something to spend. An account that
    /// was cleared away meanwhile does not come back.
    private func canRenew(_ account: String, _ client: String) -> Bool {
        if let state = state(client, account) { return state == .signedIn }
        let tokens = refreshTokens(of: client, account)
        return !tokens.own.isEmpty || !tokens.family.isEmpty
    }

    /// An account's id without the policy of Azure AD B2C that some put into it.
    private static func withoutPolicy(_ id: String) -> [String] {
        folded(id).split(separator: ".").map { $0.components(separatedBy: "-b2c_1")[0] }
    }

    private mutating func savedRealm(_ response: Response, account: String, cloud: String) -> String {
        let text = TenantText(account: account, cloud: cloud, text: folded(response.tenant))
        let isWord = ["common", "organizations", "consumers", ""].contains(text.text)
        if let tenant = response.claims?["tid"] {
            if !isWord { tenantNotes[text] = folded(tenant) }
            return tenant
        }
        if !isWord, let noted = tenantNotes[text] { return noted }
        let home = account.split(separator: ".", maxSplits: 1).dropFirst().first.map(String.init)
        switch folded(response.tenant) {
        case "common": return home ?? response.tenant
        // A personal account is at home in none.
        case "organizations": return home.flatMap { folded($0) == Clouds.personalTenant ? nil : $0 } ?? response.tenant
        case "consumers": return Clouds.personalTenant
        default: return response.tenant
        }
    }

    private func made(_ response: Response, _ common: [String: ModelValue], _ commit: Int) -> ModelEntry? {
        guard let secret = response.accessToken else { return nil }
        var members = common
        members["secret"] = .text(secret)
        members["target"] = .text((response.granted ?? response.scopes).joined(separator: " "))
        members["cached_at"] = .number(now)
        let lifetime = Self.meant(response.expiresIn) ?? 3600
        members["expires_on"] = .number(now + lifetime)
        members["extended_expires_on"] = Self.meant(response.extendedExpiresIn).map { .number(now + $0) }
        let refreshIn = Self.meant(response.refreshIn).flatMap { $0 < lifetime ? $0 : nil }
        members["refresh_on"] = refreshIn.map { .number(now + $0) }
        members["token_type"] = response.tokenType.map { .text($0) }
        // A bearer token is bound to no key, whatever was asked for.
        if let type = response.tokenType, folded(type) != "bearer" { members["kid"] = response.keyID.map { .text($0) } }
        members["requested_claims"] = response.isolatedClaims.map { .text($0) }
        members["application_cache_identifier"] = response.applicationIdentifier.map { .text($0) }
        members["user_assertion_hash"] = response.userAssertion.map { .text(oneAlphabet($0)) }
        return ModelEntry(section: "AccessToken", key: "", members: members, commit: commit, isMade: true)
    }

    /// A number of seconds from now, where it can be meant: nothing ends before it begins, or after a century.
    private static func meant(_ seconds: Int64?) -> Int64? {
        seconds.flatMap { (1...3_155_760_000).contains($0) ? $0 : nil }
    }

    /// Removes the client's access tokens of the account that have ended, but for those that are kept apart. An
    /// application's own ones go tenant by tenant.
    private mutating func purge(_ account: String, _ client: String, realm: String? = nil) {
        entries.removeAll { entry in
            guard entry.isAccessToken, entry.account == account, entry.client == client, !entry.isIsolated,
                realm == nil || entry.realm == realm, let ends = entry.seconds("expires_on")
            else { return false }
            return max(ends, entry.seconds("extended_expires_on", "ext_expires_on") ?? ends) <= now
        }
    }

    private mutating func saveRefreshToken(
        _ secret: String,
        _ response: Response,
        _ common: [String: ModelValue],
        _ commit: Int
    ) {
        var members = common
        if Clouds.isMicrosoft(response.environment) { members["realm"] = nil }
        members["secret"] = .text(secret)
        members["family_id"] = response.family.map { .text($0) }
        members["user_assertion_hash"] = response.userAssertion.map { .text(oneAlphabet($0)) }
        let new = ModelEntry(section: "RefreshToken", key: "", members: members, commit: commit, isMade: true)
        entries.removeAll { old in
            guard old.isRefreshToken, old.account == new.account, old.cloud == new.cloud else { return false }
            if !Clouds.isMicrosoft(new.cloud), !new.realm.isEmpty, !old.realm.isEmpty, old.realm != new.realm {
                return false
            }
            // What a service got on behalf of somebody is kept apart.
            if old.isolation != new.isolation { return false }
            if let family = new.family { return old.family == family || old.client == new.client }
            return old.client == new.client && old.family == nil
        }
        entries.append(new)
    }

    private mutating func saveAccount(_ response: Response, _ common: [String: ModelValue], _ commit: Int) {
        var new = ModelEntry(section: "Account", key: "", members: common, commit: commit, isMade: true)
        new.members["client_id"] = nil
        new.members["username"] = response.username.map { .text($0) }
        new.members["local_account_id"] = (response.claims?["oid"] ?? response.claims?["sub"]).map { .text($0) }
        let old = entries.filter {
            $0.isAccount && $0.account == new.account && $0.cloud == new.cloud && $0.isOfRealm(new.realm)
        }
        layOver(old) { last in
            var entry = new
            entry.members = (last?.members ?? [:]).merging(new.members) { $1 }
            if entry.members["username"] == nil { entry.members["username"] = .text("") }
            return entry
        }
    }

    /// Puts an entry in place of one that means the same, with what that one had beside: the newest, or another one where
    /// the two would have one key.
    private mutating func layOver(_ old: [ModelEntry], _ make: (ModelEntry?) -> ModelEntry) {
        let candidates = old.sorted { ($0.commit, $0.position) > ($1.commit, $1.position) }
        let before = [entries] + alternatives
        var after: [[ModelEntry]] = []
        for candidate in candidates.isEmpty ? [nil] : candidates.map(Optional.some) {
            for list in before { after.append(list.filter { $0 != candidate } + [make(candidate)]) }
        }
        entries = after[0]
        alternatives = Array(after.dropFirst())
    }

    private mutating func saveAppMetadata(_ response: Response, _ client: String, _ cloud: String, _ commit: Int) {
        // A response without a refresh token says nothing of families, unless it names one.
        guard response.refreshToken != nil || response.family != nil else { return }
        noteFamily(response.family, of: client, in: cloud, commit)
    }

    /// Notes of which family a client is in a cloud; nil for none.
    mutating func noteFamily(_ family: String?, of client: String, in cloud: String, _ commit: Int) {
        let old = entries.filter { $0.isAppMetadata && $0.client == client && $0.cloud == cloud }
        if !old.isEmpty, old.allSatisfy({ $0.family == family }) { return }
        layOver(old) { last in
            var members: [String: ModelValue] = last?.members ?? [:]
            members["client_id"] = .text(client)
            members["environment"] = .text(cloud)
            members["family_id"] = .text(family ?? "")
            return ModelEntry(section: "AppMetadata", key: "", members: members, commit: commit, isMade: true)
        }
        // What stands under the cloud's other hosts must not say something else.
        let corrected = { (list: [ModelEntry]) in
            list.map { entry in
                guard entry.isAppMetadata, entry.client == client, entry.cloud == cloud, entry.family != family else {
                    return entry
                }
                var entry = entry
                entry.members["family_id"] = .text(family ?? "")
                entry.commit = commit
                entry.isMade = true
                return entry
            }
        }
        entries = corrected(entries)
        alternatives = alternatives.map(corrected)
    }

    private mutating func saveForApplication(_ response: Response, client: String) -> String? {
        let environment = Clouds.cloud(of: response.environment)
        let common: [String: ModelValue] = [
            "environment": .text(environment), "client_id": .text(client), "realm": .text(response.tenant),
        ]
        let commit = nextCommit()
        purge("", client, realm: folded(response.tenant))
        if var token = made(response, common, commit) {
            token.members["application_token"] = .number(1)
            entries.removeAll {
                $0.account.isEmpty && $0.cloud == environment && $0.client == client && $0.isReplaced(by: token)
            }
            entries.append(token)
        }
        return nil
    }
}

extension ModelEntry {
    var isOfFirstVersion: Bool { folded(text("credential_type") ?? "") == "v1idtoken" }
}

extension ModelEntry {
    /// Whether it is of a realm, by its name or by a word that stands for it.
    func isOfRealm(_ name: String) -> Bool {
        guard realm != name, let home = account.split(separator: ".", maxSplits: 1).dropFirst().first else {
            return realm == name
        }
        switch realm {
        case "common": return name == home
        case "organizations": return name == home && home != Clouds.personalTenant
        case "consumers": return name == Clouds.personalTenant
        default: return false
        }
    }

    /// Whether saving an access token takes the place of this one: tokens that have a scope in common.
    func isReplaced(by new: ModelEntry) -> Bool {
        let openID = ReferenceModel.openID
        // Nothing but offline_access means openid.
        let signIn = { (scopes: Set<String>) in
            scopes == ["offline_access"] ? ["openid"] : scopes.subtracting(["offline_access"])
        }
        return isAccessToken && isOfRealm(new.realm) && scheme == new.scheme && keyID == new.keyID
            && isolation == new.isolation
            && (scopes == new.scopes
                || !scopes.subtracting(openID).isDisjoint(with: new.scopes.subtracting(openID))
                || (scopes.union(new.scopes).isSubset(of: openID)
                    && !signIn(scopes).isDisjoint(with: signIn(new.scopes))))
    }
}
