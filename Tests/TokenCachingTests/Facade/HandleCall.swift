// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Whatever an application keeps of a group that it opened, with a token in it.
struct GroupHandles {
    let cache: TokenCache
    let group: CacheGroup
    let saved: SavedTokens
    let account: Account
    let accessToken: AccessToken
    let refreshToken: RefreshToken
    let idToken: IDToken
    let feed: ChangeFeed
    let watch: GroupWatch
    /// That of the access token.
    let entry: EntryDetail
    /// Whose folder goes with it.
    private let fixture: GroupFixture?
    let timeout: Duration

    static let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["User.Read"])
    static let pressing = TokenQuery(
        accountID: TestGroup.accountID,
        scopes: ["User.Read"],
        options: TokenQueryOptions(forceRefresh: true)
    )

    /// On a new group in the file.
    init(_ fixture: GroupFixture, timeout: Duration = .seconds(20)) throws {
        try self.init(
            fixture.opener(.file(unlockedBy: .keyFile), access: .create).open(),
            timeout: timeout,
            in: fixture
        )
    }

    /// On a group that is empty yet.
    init(_ opened: OpenedGroup, timeout: Duration, in fixture: GroupFixture? = nil) throws {
        self.fixture = fixture
        self.timeout = timeout
        group = CacheGroup(opened, timeout: timeout)
        cache = try TokenCache(
            store: opened.store,
            unlockedKeys: opened.unlockedKeys,
            clientID: TestGroup.client,
            options: TokenCacheOptions(timeout: timeout)
        )
        saved = try TestResponse.signIn().saveAll(in: cache)
        guard let account = saved.account,
            case .valid(let token) = try cache.token(for: Self.query),
            let idToken = try cache.idToken(for: account),
            case .renew(let refreshToken, _) = try cache.token(for: Self.pressing)
        else { throw CocoaError(.featureUnsupported) }
        (self.account, accessToken, self.refreshToken, self.idToken) = (account, token, refreshToken, idToken)
        feed = try cache.engine.makeFeed()
        watch = try group.watch()
        entry = try Self.entry(of: .accessToken, in: group)
    }

    private static func entry(of kind: CachedEntryKind, in group: CacheGroup) throws -> EntryDetail {
        var handles: [EntryHandle] = []
        try group.forEachEntry(matching: EntryFilter(kinds: [kind])) { (entry) throws(TokenCacheError) in
            handles.append(entry.handle)
        }
        return try group.entry(handles.first?.description ?? "")
    }
}

/// A call on one of them, by the name that it has in the source.
struct HandleCall: Sendable, CustomTestStringConvertible {
    /// Such as `TokenCache.token`.
    let name: String
    /// How often the time for waiting begins anew in it, because something was done.
    let restartCount: Int
    let run: @Sendable (GroupHandles) throws -> Void

    var testDescription: String { name }

    init(_ name: String, restarts: Int = 0, _ run: @escaping @Sendable (GroupHandles) throws -> Void) {
        self.name = name
        restartCount = restarts
        self.run = run
    }

    static var all: [HandleCall] { onCaches + onTokens + onEntries + onGroups }

    static let onCaches = [
        HandleCall("TokenCache.token") { _ = try $0.cache.token(for: GroupHandles.query) },
        HandleCall("TokenCache.diagnosis") { _ = try $0.cache.diagnosis(of: GroupHandles.query) },
        HandleCall("TokenCache.accounts") { _ = try $0.cache.accounts(matching: .all) },
        HandleCall("TokenCache.currentAccount") { _ = try $0.cache.currentAccount() },
        HandleCall("TokenCache.idToken") { _ = try $0.cache.idToken(for: $0.account) },
        HandleCall("TokenCache.idToken") { _ = try $0.cache.idToken(for: GroupHandles.query) },
        HandleCall("TokenCache.save") { try TestResponse.signIn().save(in: $0.cache) },
        // At an issuer outside the known clouds, where the clouds that other processes stored are read first.
        HandleCall("TokenCache.save") { handles in
            handles.cache.engine.invalidateAll()
            try TestResponse.signIn().asked { $0.environment = "id.contoso.example" }.save(in: handles.cache)
        },
        HandleCall("TokenCache.learn") { handles in
            let entry = CloudMetadataTests.entry("a.example", "a.example", ["b.example"])
            let metadata = try CloudMetadata(discoveryJSON: Array(CloudMetadataTests.document(entry).utf8))
            try handles.cache.learn(metadata)
        },
        HandleCall("TokenCache.noteRefusal") { handles in
            try handles.cache.noteRefusal(
                of: handles.refreshToken,
                response: TokenErrorResponse(error: "interaction_required")
            )
        },
        HandleCall("TokenCache.renewSynchronously") { handles in
            // A forced renewal fails where the server is away.
            do throws(TokenCacheError) {
                _ = try handles.cache.renewSynchronously(GroupHandles.pressing, timeout: handles.timeout) { _ in
                    .unavailable
                }
            } catch {
                guard error.code == .renewalUnavailable else { throw error }
            }
        },
        HandleCall("TokenCache.renewSynchronously") { handles in
            _ = try handles.cache.renewSynchronously(GroupHandles.query, timeout: handles.timeout) { _ in .unavailable }
        },
        // What the server said is noted in a time of its own.
        HandleCall("TokenCache.acquireApplicationTokenSynchronously", restarts: 1) { handles in
            let query = TokenQuery(
                applicationScopes: ["https://graph.microsoft.com/.default"],
                tenant: "utid",
                environment: "login.microsoftonline.com"
            )
            _ = try handles.cache.acquireApplicationTokenSynchronously(query, timeout: handles.timeout) {
                .refused(error: "invalid_client")
            }
        },
        HandleCall("TokenCache.lastRemoval") { _ = try $0.cache.lastRemoval() },
        HandleCall("TokenCache.lastWipe") { _ = try $0.cache.lastWipe(accountID: TestGroup.accountID) },
        HandleCall("TokenCache.changes") { _ = try translating(try $0.cache.engine.makeFeed()) },
        HandleCall("TokenCache.signOut") { try $0.cache.signOut($0.account) },
        HandleCall("TokenCache.signOut") { try $0.cache.signOut(accountID: TestGroup.accountID) },
        HandleCall("TokenCache.wipe") { try $0.cache.wipe($0.account) },
        HandleCall("TokenCache.wipe") { try $0.cache.wipe(accountID: TestGroup.accountID) },
        HandleCall("TokenCache.forgetRevocations") { _ = try $0.cache.forgetRevocations(accountID: $0.account.id) },
        HandleCall("TokenCache.clearAll") { try $0.cache.clearAll() },
    ]

    static let onTokens = [
        HandleCall("AccessToken.withSecret") { try $0.accessToken.withSecret { _ in } },
        HandleCall("AccessToken.secretString") { _ = try $0.accessToken.secretString },
        HandleCall("RefreshToken.withSecret") { try $0.refreshToken.withSecret { _ in } },
        HandleCall("RefreshToken.secretString") { _ = try $0.refreshToken.secretString },
        HandleCall("SavedTokens.accessToken") { _ = try $0.saved.accessToken() },
        HandleCall("RefreshToken.next") { _ = try $0.refreshToken.next() },
        HandleCall("IDToken.withSecret") { try $0.idToken.withSecret { _ in } },
        HandleCall("IDToken.secretString") { _ = try $0.idToken.secretString },
        HandleCall("IDToken.claims") { _ = try $0.idToken.claims },
        HandleCall("IDToken.withClaims") { _ = try $0.idToken.withClaims { _ in } },
        HandleCall("TokenCache.claims") { _ = try $0.cache.claims(for: $0.account.tenantProfiles[0]) },
    ]

    static let onEntries = [
        HandleCall("EntryDetail.withSecret") { _ = try $0.entry.withSecret { (_) throws(TokenCacheError) in } },
        HandleCall("EntryDetail.decodedToken") { _ = try $0.entry.decodedToken() },
        HandleCall("GroupWatch.next") { handles in
            handles.watch.stop()
            _ = try handles.watch.next()
        },
    ]

    static let onGroups = [
        HandleCall("CacheGroup.tokenCache") { _ = try $0.group.tokenCache(clientID: TestGroup.client) },
        HandleCall("CacheGroup.removeIfUnused") { try $0.group.removeIfUnused() },
        HandleCall("CacheGroup.watch") { _ = try $0.group.watch() },
        HandleCall("CacheGroup.importEntries", restarts: 1) { _ = try $0.group.take(.person) },
        HandleCall("CacheGroup.exportEntries") { _ = try $0.group.give() },
        HandleCall("CacheGroup.document") { _ = try $0.group.document(for: TestGroup.client) },
        HandleCall("CacheGroup.forEachEntry") { try $0.group.forEachEntry { _ in } },
        HandleCall("CacheGroup.forEachAccount") { try $0.group.forEachAccount { _ in } },
        HandleCall("CacheGroup.pendingRevocations") { _ = try $0.group.pendingRevocations() },
        HandleCall("CacheGroup.entry") { handles in
            do throws(TokenCacheError) {
                _ = try handles.group.entry("0000")
            } catch {
                if error.code != .notFound { throw error }
            }
        },
        HandleCall("CacheGroup.statistics") { _ = try $0.group.statistics() },
        HandleCall("CacheGroup.verify") { _ = try $0.group.verify() },
        HandleCall("CacheGroup.compact") { try $0.group.compact() },
        HandleCall("CacheGroup.keySlots") { _ = try $0.group.keySlots() },
        HandleCall("CacheGroup.addKeySlot") { handles in
            _ = try handles.group.addKeySlot(.keyFile(path: handles.otherKeyFile))
        },
        // The slot that goes is made by another call, which has a time of its own.
        HandleCall("CacheGroup.removeKeySlot", restarts: 2) { handles in
            _ = try? handles.group.addKeySlot(.keyFile(path: handles.otherKeyFile))
            let slot = try handles.group.keySlots().first { $0.kind != .ownKeyFile }
            _ = try handles.group.removeKeySlot(slot?.id ?? "0000")
        },
        HandleCall("CacheGroup.rekey", restarts: 1) { _ = try $0.group.rekey() },
        HandleCall("CacheGroup.clearAll, as a dry run") { _ = try $0.group.clearAll(isDryRun: true) },
        HandleCall("CacheGroup.clearAll", restarts: 1) { _ = try $0.group.clearAll() },
        HandleCall("CacheGroup.clear", restarts: 1) {
            try $0.group.clear(matching: EntryFilter(expiry: .unexpired(at: WallClock.system.now())))
        },
    ]
}

extension GroupHandles {
    /// A path that no key file has yet.
    fileprivate var otherKeyFile: String { NSTemporaryDirectory() + "tcs-\(UUID().uuidString).key" }
}
