// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import UnifiedSchema

/// The entries made from a token response.
struct ResponseEntries: Sendable {
    /// A token to be written, with its location in the response.
    final class Credential: Sendable {
        let entry: NewCredential
        let token: JSONObject.Value

        init(entry: NewCredential, token: JSONObject.Value) {
            self.entry = entry
            self.token = token
        }
    }

    /// Nil for app-only tokens.
    let homeAccountID: UTF8Text?
    let environment: UTF8Text
    private(set) var realm: UTF8Text
    private(set) var credentials: [Credential]
    /// Nil for app-only tokens.
    private(set) var account: NewAccount?
    /// Nil for app-only tokens, and if the response says nothing about families.
    let appMetadata: NewAppMetadata?

    init(
        _ response: borrowing TokenResponse,
        for request: borrowing TokenRequest,
        identity: ResponseSubject,
        clientID: UTF8Text,
        now: Int64
    ) throws(StorageError) {
        let isOfAccount = request.grant != .application
        let family = response.family
        func credential(_ kind: EntryKind) -> NewCredential {
            NewCredential(
                kind: kind,
                homeAccountID: identity.homeAccountID,
                environment: identity.environment,
                clientID: clientID,
                realm: identity.realm
            )
        }
        var credentials: [Credential] = []
        if let token = response.accessToken {
            var entry = credential(.accessToken)
            try ResponseEntries.fill(&entry, response: response, request: request, now: now)
            entry.isOfApplication = !isOfAccount
            credentials.append(Credential(entry: entry, token: token))
        }
        if let token = response.refreshToken, isOfAccount {
            var entry = credential(.refreshToken)
            if identity.isMicrosoft {
                entry.realm = nil
            } else {
                entry.target = ResponseEntries.grant(of: response, for: request)
            }
            entry.familyID = family
            let isolation = ResponseEntries.isolation(of: request)
            if request.isolatesRefreshToken { entry.isolation = isolation }
            // It can be used regardless of the other parts that isolate access tokens.
            entry.isolation.assertionHash = isolation.assertionHash
            entry.lastModificationTime = now
            credentials.append(Credential(entry: entry, token: token))
        }
        if let token = response.idToken, isOfAccount {
            credentials.append(Credential(entry: credential(.idToken), token: token))
        }
        // Without any of these, the response says nothing new about the account.
        let identifiesAccount = identity.claims != nil || identity.clientInfo != nil || request.grant == .interactive
        // A response without a refresh token says nothing about families.
        let identifiesFamily = family != nil || response.refreshToken != nil
        homeAccountID = identity.homeAccountID
        environment = identity.environment
        realm = identity.realm
        self.credentials = credentials
        account = isOfAccount && identifiesAccount ? ResponseEntries.account(identity) : nil
        appMetadata =
            isOfAccount && identifiesFamily
            ? NewAppMetadata(clientID: clientID, environment: identity.environment, familyID: family ?? "") : nil
    }

    /// The same entries in another realm.
    func moved(to realm: UTF8Text) -> ResponseEntries {
        var moved = self
        moved.realm = realm
        moved.account?.realm = realm
        moved.credentials = credentials.map { credential in
            var entry = credential.entry
            // Refresh tokens that are valid for every tenant have no realm.
            if entry.realm != nil { entry.realm = realm }
            return Credential(entry: entry, token: credential.token)
        }
        return moved
    }

    /// Whether there is a refresh token, and nothing isolates it.
    var isRefreshTokenPlain: Bool {
        credentials.contains { $0.entry.kind == .refreshToken && $0.entry.fields.isolation.isNone }
    }

    /// The same entries, with a refresh token that is as isolated as the redeemed one.
    func isolatingRefreshToken(as redeemed: EntryFacts) -> ResponseEntries {
        var isolated = self
        isolated.credentials = credentials.map { credential in
            guard credential.entry.kind == .refreshToken else { return credential }
            var entry = credential.entry
            entry.isolation = CredentialFields(redeemed).isolation
            entry.extendedKey = KeyParts(redeemed).extendedKey
            return Credential(entry: entry, token: credential.token)
        }
        return isolated
    }

    /// The scopes that the user granted, in which any later access token is contained; nil if they are unknown.
    private static func grant(of response: borrowing TokenResponse, for request: borrowing TokenRequest) -> ScopeSet? {
        let scopes: ScopeSet?
        if request.grant == .renewal {
            scopes = request.redeemedGrant.map { ScopeSet($0) }
        } else {
            scopes = response.scopeSet ?? ScopeSet(request.scopes)
        }
        return scopes.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Fills in the scopes, type and times of an access token.
    private static func fill(
        _ entry: inout NewCredential,
        response: borrowing TokenResponse,
        request: borrowing TokenRequest,
        now: Int64
    ) throws(StorageError) {
        let scopes = response.scopeSet ?? ScopeSet(request.scopes)
        guard !scopes.isEmpty else {
            throw StorageError(.invalidRequest, detail: "neither the response nor the request has a scope")
        }
        entry.target = scopes
        if let type = response.text("token_type"), type.normalized() != CredentialFields.bearer {
            entry.tokenType = type
            // A bearer token is not bound to a key, whatever was requested.
            entry.keyID = request.keyID.map { UTF8Text($0) }
        }
        entry.isolation = isolation(of: request)
        let times = IssuedTimes(
            now: now,
            expiresIn: response.seconds("expires_in"),
            expiresOn: response.seconds("expires_on"),
            extendedExpiresIn: response.seconds("ext_expires_in"),
            refreshIn: response.seconds("refresh_in")
        )
        entry.cachedAt = now
        entry.expiresOn = times.expiresOn
        entry.extendedExpiresOn = times.extendedExpiresOn
        entry.refreshOn = times.refreshOn
    }

    private static func isolation(of request: borrowing TokenRequest) -> Isolation<UTF8Text?> {
        request.isolation.map { part in part.map { UTF8Text($0) }.flatMap { $0.isBlank ? nil : $0 } }
    }

    private static func account(_ identity: ResponseSubject) -> NewAccount {
        var account = NewAccount(
            homeAccountID: identity.homeAccountID,
            environment: identity.environment,
            realm: identity.realm,
            authorityType: identity.authorityType
        )
        let claims = identity.claims
        account.localAccountID = claims?.objectID ?? claims?.subject
        account.username = claims?.username
        // Every SDK expects a username.
        account.needsUsername = true
        account.name = claims?.name
        account.givenName = claims?.givenName
        account.familyName = claims?.familyName
        account.middleName = claims?.middleName
        account.alternativeAccountID = claims?.alternativeID
        account.clientInfo = identity.clientInfo?.raw
        return account
    }
}
