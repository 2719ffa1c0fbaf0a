// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import RecordStorage
import Synchronization
import TokenCaching

/// The group under test: one store, a cache for each client, the first client with two.
final class RealGroup {
    private let group: CacheGroup
    let caches: [TokenCache]
    private let clock: Clock
    private var queries: [Lookup: TokenQuery] = [:]
    /// The refresh tokens that the caches' renewals are about to spend.
    private var pending: [Int: RefreshToken] = [:]

    /// A clock that stands still until it is moved.
    private final class Clock: Sendable {
        let seconds: Mutex<Int64>

        init(_ start: Int64) {
            seconds = Mutex(start)
        }
    }

    /// A group in an encrypted file below a root; without one it is in memory.
    init(now: Int64, root: String?) throws(TokenCacheError) {
        let clock = Clock(now)
        self.clock = clock
        let options = TokenCacheOptions(
            clock: WallClock { Timestamp(secondsSince1970: clock.seconds.withLock { $0 }) },
            timeout: .seconds(60)
        )
        let group = try CacheGroup.open(
            "model",
            root: root ?? "/nonexistent",
            storage: root == nil ? .memory : .automatic,
            access: .create,
            timeout: .seconds(60)
        )
        self.group = group
        var caches: [TokenCache] = []
        for client in Operation.clients {
            if root == nil {
                let store = try translating(try group.opened.store.snapshot(until: .after(.seconds(20))))
                let unlockedKeys = group.opened.unlockedKeys
                caches.append(
                    try TokenCache(store: store, unlockedKeys: unlockedKeys, clientID: client, options: options)
                )
            } else {
                caches.append(try TokenCache(group: "model", clientID: client, root: root, options: options))
            }
        }
        self.caches = caches
    }

    func wait(_ seconds: Int64) {
        clock.seconds.withLock { $0 += seconds }
    }

    // MARK: - What sequences do

    /// The code of the refusal; nil where it was saved.
    func save(_ response: Response, by cache: Int) -> String? {
        var request = TokenRequest(
            environment: response.environment,
            tenant: response.tenant,
            scopes: response.scopes,
            grant: response.grant.grant,
            accountID: response.account.map { Account.ID($0) },
            keyID: response.keyID
        )
        request.isolatedClaims = response.isolatedClaims
        request.applicationIdentifier = response.applicationIdentifier
        request.userAssertion = response.userAssertion.map { UserAssertionHash(hash: $0) }
        do throws(TokenCacheError) {
            try caches[cache].save(try TokenResponse(json: response.body), for: request)
            return nil
        } catch {
            return "\(error.code)"
        }
    }

    func take(_ document: [ModelEntry], replaces: Bool) throws(TokenCacheError) {
        var options = ImportOptions()
        options.replacesNewer = replaces
        _ = try group.importEntries(from: .bytes(JSONText.document(document)), options: options)
    }

    func decision(_ lookup: Lookup, by cache: Int) -> TokenDecisionSummary {
        let query = queries[lookup] ?? lookup.query
        queries[lookup] = query
        do throws(TokenCacheError) {
            return try TokenDecisionSummary(try caches[cache].token(for: query))
        } catch {
            return .refused("\(error.code)")
        }
    }

    /// Looks up, and keeps a refresh token that is to be spent.
    func begin(_ lookup: Lookup, by cache: Int) -> TokenDecisionSummary {
        pending[cache] = nil
        do throws(TokenCacheError) {
            let decision = try caches[cache].token(for: lookup.query)
            if case .renew(let token, _) = decision { pending[cache] = token }
            return try TokenDecisionSummary(decision)
        } catch {
            return .refused("\(error.code)")
        }
    }

    /// Saves what came for the refresh token.
    func finish(_ response: Response, by cache: Int) -> String? {
        guard let token = pending[cache] else { return "no renewal has begun" }
        do throws(TokenCacheError) {
            let request = TokenRequest(
                renewing: token,
                scopes: response.scopes,
                tenant: response.tenant,
                keyID: response.keyID
            )
            try caches[cache].save(try TokenResponse(json: response.body), for: request)
            return nil
        } catch {
            return "\(error.code)"
        }
    }

    func refuse(_ refusal: Refusal, by cache: Int) throws(TokenCacheError) {
        guard let token = pending[cache] else { return }
        try caches[cache].noteRefusal(
            of: token,
            response: TokenErrorResponse(error: refusal.error, suberror: refusal.suberror)
        )
    }

    func accounts(_ question: AccountQuestion, by cache: Int) throws(TokenCacheError) -> [Account] {
        try caches[cache].accounts(
            matching: AccountFilter(
                id: question.identifier.map { Account.ID($0) },
                username: question.username,
                localAccountID: question.localAccountID,
                includesSignedOut: question.includesSignedOut
            )
        )
    }

    func signOut(_ id: String, by cache: Int) throws(TokenCacheError) {
        try caches[cache].signOut(accountID: Account.ID(id))
    }

    func wipe(_ id: String, by cache: Int) throws(TokenCacheError) { try caches[cache].wipe(accountID: Account.ID(id)) }

    func clear(by cache: Int) throws(TokenCacheError) { try caches[cache].clearAll() }

    func exported(all: Bool) throws(TokenCacheError) -> [ModelEntry] {
        let pieces = Mutex<[UInt8]>([])
        _ = try group.exportEntries(
            to: .sink { (bytes) throws(TokenCacheError) in
                let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                pieces.withLock { $0.append(contentsOf: copy) }
            },
            options: ExportOptions(includesSignedOutAccounts: all)
        )
        return JSONText.entries(of: pieces.withLock { $0 })
    }
}

extension Response.Grant {
    var grant: TokenRequest.Grant {
        switch self {
        case .interactive: .interactive
        case .renewal: .renewal
        case .application: .application
        }
    }
}

extension Lookup {
    private var extendedCacheKey: ExtendedCacheKey? {
        switch extendedKey {
        case .text(let hash): ExtendedCacheKey(hash: hash)
        case .object(let parts): ExtendedCacheKey(components: parts)
        default: nil
        }
    }

    var query: TokenQuery {
        let options = TokenQueryOptions(
            tokenType: tokenType,
            keyID: keyID,
            forceRefresh: forceRefresh,
            claimsChallenge: claims ? "{\"access_token\":{\"nbf\":{\"essential\":true}}}" : nil,
            allowsExtendedLifetime: serverIsUnavailable,
            expirationMargin: buffer.map { .seconds($0) },
            isolatedClaims: isolatedClaims,
            extendedCacheKey: extendedCacheKey,
            applicationIdentifier: applicationIdentifier,
            userAssertion: userAssertion.map { UserAssertionHash(hash: $0) }
        )
        switch subject {
        case .account(let id):
            return TokenQuery(
                accountID: Account.ID(id),
                scopes: scopes,
                tenant: tenant,
                environment: environment,
                options: options
            )
        case .username(let name):
            return TokenQuery(
                username: name,
                scopes: scopes,
                tenant: tenant,
                environment: environment,
                options: options
            )
        case .application:
            return TokenQuery(
                applicationScopes: scopes,
                tenant: tenant ?? "",
                environment: environment,
                options: options
            )
        }
    }
}
