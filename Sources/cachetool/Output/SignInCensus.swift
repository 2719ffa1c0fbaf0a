// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// The applications that are signed in to the accounts of a group, and until when.
struct SignInCensus {
    /// The sign-in of one application to an account.
    struct SignIn {
        enum State: String {
            /// The application can get tokens without interaction.
            case signedIn = "signed_in"
            /// The user has to sign in, now or when the current token expires.
            case needsSignIn = "needs_sign_in"
            case signedOut = "signed_out"
        }

        let client: String
        let state: State
        /// When its access tokens expire.
        let ends: AccessTokens.Ends
        /// Why a renewal is not possible: a name of `InteractionReason`, or `renewalRefused`.
        var reason: String?
        /// The refresh token that can renew it; nil if there is none, or if the server refused it.
        var refreshToken: TokenDiagnosis.StoredRefreshToken?
        /// The names of the profiles that stand for it.
        var profiles: [String] = []

        /// When the last usable access token expires.
        var tokenEnd: Timestamp? { ends.usableUntil }
        var hasToken: Bool { tokenEnd != nil || refreshToken != nil }
    }

    struct Row {
        let account: Account
        var signIns: [SignIn]

        /// Whether an application can get a token for the account without interaction.
        var isSignedIn: Bool { signIns.contains { $0.state != .signedOut && $0.hasToken } }
    }

    private(set) var rows: [Row] = []

    /// Whether any account is signed in.
    var isAnybodySignedIn: Bool { rows.contains(where: \.isSignedIn) }

    init(of group: CacheGroup, now: Timestamp, _ progress: ProgressLine) throws {
        progress.update(part: nil, entries: 0)
        let tokens = try AccessTokens(of: group, now: now)
        var accounts: [Account.ID: Account] = [:]
        var signIns: [Account.ID: [SignIn]] = [:]
        // Include accounts without any token, which every application sees.
        for client in tokens.clients.isEmpty ? ["-"] : tokens.clients.sorted() {
            let view = try group.tokenCache(clientID: client)
            defer { view.close() }
            for account in try view.accounts(matching: .all) {
                if accounts[account.id] == nil || account.isSignedIn { accounts[account.id] = account }
                progress.update(part: nil, entries: accounts.count)
                let signIn = try Self.signIn(of: client, to: account, view, tokens)
                if let signIn { signIns[account.id, default: []].append(signIn) }
            }
        }
        rows = accounts.values.map { Row(account: $0, signIns: signIns[$0.id] ?? []) }
            .sorted { AccountRow.areInOrder($0.account, $1.account) }
    }

    /// Notes the profiles of the group, by account and application.
    mutating func note(_ profiles: [Profile]) {
        for row in rows.indices {
            for index in rows[row].signIns.indices {
                let (id, client) = (rows[row].account.id, rows[row].signIns[index].client)
                rows[row].signIns[index].profiles = profiles.filter { profile in
                    profile["account"].map { Account.ID($0) == id } == true && profile["client"]?.lowercased() == client
                }.map(\.name)
            }
        }
    }

    /// - Returns: the sign-in; nil for an application that has no entries for the account.
    private static func signIn(
        of client: String,
        to account: Account,
        _ view: TokenCache,
        _ tokens: AccessTokens
    ) throws(TokenCacheError) -> SignIn? {
        // Any scope will do, because the query only looks for the refresh token.
        let (scopes, options) = (["openid"], TokenQueryOptions(forceRefresh: true))
        let query =
            account.hasHomeAccountID
            ? TokenQuery(accountID: account.id, scopes: scopes, options: options)
            : TokenQuery(username: account.username ?? "", scopes: scopes, options: options)
        let found = tokens.ends[AccessTokens.Owner(account: account.id, client: client)]
        let ends = found ?? AccessTokens.Ends()
        switch try view.token(for: query) {
        case .interactionRequired(.signedOut):
            return SignIn(client: client, state: .signedOut, ends: ends, reason: InteractionReason.signedOut.name)
        case .interactionRequired(let reason):
            guard found != nil || reason == .refreshTokenLost else { return nil }
            // A sign-in for a resource has a refresh token that only a query for that resource finds.
            if reason == .refreshTokenMissing, let token = try view.diagnosis(of: query).refreshToken,
                token.shortfalls == [.isolation]
            {
                return SignIn(client: client, state: .signedIn, ends: ends, refreshToken: token)
            }
            return SignIn(client: client, state: .needsSignIn, ends: ends, reason: reason.name)
        default:
            let token = try view.diagnosis(of: query).refreshToken
            guard token?.refusal == nil || token?.refusal?.isServerBusy == true else {
                let reason = InteractionReason.renewalRefused.name
                return SignIn(client: client, state: .needsSignIn, ends: ends, reason: reason)
            }
            return SignIn(client: client, state: .signedIn, ends: ends, refreshToken: token)
        }
    }
}

/// When the access tokens of a group expire, by account and application.
struct AccessTokens {
    struct Owner: Hashable {
        let account: Account.ID
        let client: String
    }

    struct Ends {
        var usableUntil: Timestamp?
        var expiredOn: Timestamp?
    }

    private(set) var clients: Set<String> = []
    private(set) var ends: [Owner: Ends] = [:]

    init(of group: CacheGroup, now: Timestamp) throws(TokenCacheError) {
        try group.forEachEntry { entry throws(TokenCacheError) in
            guard let client = entry.clientID?.lowercased(), !client.isEmpty else { return }
            clients.insert(client)
            guard entry.kind == .accessToken || entry.kind == .boundAccessToken, entry.hasToken,
                let account = entry.accountID?.text ?? entry.username
            else { return }
            let owner = Owner(account: Account.ID(account), client: client)
            var known = ends[owner] ?? Ends()
            if entry.isUsable(at: now) == true {
                known.usableUntil = [known.usableUntil, entry.expiresOn].compactMap(\.self).max()
            } else {
                known.expiredOn = [known.expiredOn, entry.expiresOn].compactMap(\.self).max()
            }
            ends[owner] = known
        }
    }
}

// MARK: - For human readers

extension SignInCensus {
    func write(to console: Console) {
        for row in rows {
            let name = row.account.shownName
            console.write(line: "  " + VisibleText.escaped(name), .bold)
            var fields = FieldList()
            let tenants = row.account.tenantProfiles.map(\.tenant).filter { !$0.isEmpty }
            fields.add("issuer", row.account.id.issuer)
            fields.add("tenant", tenants.first)
            for tenant in tenants.dropFirst() { fields.add("", tenant) }
            // The tenants are a separate list: in the column after a client id they would not fit a narrow terminal.
            fields.write(to: console, indent: 4)
            fields = FieldList()
            for signIn in row.signIns {
                let names = signIn.profiles.joined(separator: ", ")
                let profiles = names.isEmpty ? "" : "; profile \(names)"
                fields.add(signIn.client, phrase(signIn, console.now) + profiles, style: style(signIn))
            }
            if row.signIns.isEmpty { fields.add("", "no app has a token") }
            fields.write(to: console, indent: 4)
        }
    }

    private func style(_ signIn: SignIn) -> Style {
        switch signIn.state {
        case .signedIn: .good
        case .needsSignIn: signIn.tokenEnd == nil ? .bad : .warning
        case .signedOut: .dim
        }
    }

    private func phrase(_ signIn: SignIn, _ now: Int64) -> String {
        if signIn.state == .signedOut { return "signed out" }
        let token = signIn.tokenEnd.map { "token for \(HumanTime.duration($0.secondsSince1970 - now))" }
        if signIn.state == .signedIn {
            let how = signIn.refreshToken?.familyID == nil ? "renewable" : "renewable (family)"
            return token.map { "\($0), \(how)" } ?? how
        }
        if let token { return token + ", then sign in: " + cause(signIn) }
        let expired =
            signIn.ends.expiredOn.map { "expired " + HumanTime.relative($0.secondsSince1970, now: now) + ", " } ?? ""
        return "sign in: " + expired + cause(signIn)
    }

    private func cause(_ signIn: SignIn) -> String {
        switch signIn.reason {
        case InteractionReason.refreshTokenLost.name, InteractionReason.renewalRefused.name:
            "the server refused the refresh token"
        default: "no refresh token"
        }
    }
}

// MARK: - For programs

extension SignInCensus {
    /// The elements of the member `accounts`.
    func write(_ json: JSONWriter) {
        for row in rows {
            json.objectElement {
                json.member("username", row.account.username ?? "")
                json.account(row.account.hasHomeAccountID ? row.account.id : nil)
                json.member("environment", row.account.environment)
                json.member("signed_in", row.isSignedIn)
                json.member("tenants", row.account.tenantProfiles.map(\.tenant))
                json.array("clients") {
                    for signIn in row.signIns { json.objectElement { write(signIn, json) } }
                }
            }
        }
    }

    private func write(_ signIn: SignIn, _ json: JSONWriter) {
        json.member("client_id", signIn.client)
        json.member("state", signIn.state.rawValue)
        json.member("reason", signIn.reason)
        json.member("token_valid_until", signIn.tokenEnd?.secondsSince1970)
        json.member("expired_on", signIn.ends.expiredOn?.secondsSince1970)
        json.member("renewable", signIn.refreshToken != nil)
        json.member("refresh_token_stored_on", signIn.refreshToken?.cachedAt?.secondsSince1970)
        json.member("family_id", signIn.refreshToken?.familyID)
        json.member("profiles", signIn.profiles)
    }
}
