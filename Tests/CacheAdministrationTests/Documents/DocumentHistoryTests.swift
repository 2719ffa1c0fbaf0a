// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Random histories of several clients' libraries on one group, against a reference model, and against what holds without
/// one: what a sign-out took does not come back, and a client's merge leaves the other clients' tokens as they are.
@Suite("Random histories of merges", .timeLimit(.minutes(Scale.pick(10, release: 120))))
struct DocumentHistoryTests {
    @Test("libraries that renew, sign in and out, remove and rename lose no token, and bring none back")
    func histories() throws {
        var seeds = SeededGenerator(for: "document histories")
        let count = Scale.pick(150, release: 10_000)
        var stores = 0
        for number in 0..<count {
            let seed = seeds.next()
            let history = try MergeHistory(seed)
            for _ in 0..<40 where history.failure == nil { try history.step() }
            stores += history.storeCount
            if let failure = history.failure {
                Issue.record("history \(number), seed \(seed): \(failure)\n\(history.log.joined(separator: "\n"))")
                return
            }
        }
        print("\(count) histories with \(stores) merges")
        #expect(stores > 5 * count)
    }
}

/// One history.
private final class MergeHistory {
    private static let users = ["u0.utid", "u1.utid"]
    private static let scopes = ["user.read", "mail.read"]

    private let group: CacheGroup
    private let clients: [String]
    private let family: Set<String>
    private var model: MergeModel
    private var libraries: [MergingLibrary] = []
    private var random: SeededGenerator
    private var tokenCount = 0
    /// The tokens that each client lost by its sign-outs.
    private var gone: [String: Set<String>] = [:]
    private(set) var log: [String] = []
    private(set) var failure: String?
    private(set) var storeCount = 0

    init(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        clients = Array(["one", "two", "three", "four"].prefix(Int.random(in: 2...4, using: &random)))
        var family: Set<String> = []
        for client in clients where Bool.random(using: &random) { family.insert(client) }
        self.family = family
        group = try CacheGroup.open("memory", storage: .memory, access: .create, timeout: .seconds(20))
        model = MergeModel(family: family)
        for client in clients {
            try group.edit(for: client) { $0.put(metadataOf: client, family: family.contains(client) ? "1" : "") }
        }
        for client in clients {
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                libraries.append(
                    MergingLibrary(
                        client,
                        hasOwnKeys: Bool.random(using: &random),
                        keepsMemory: random.once(in: 4),
                        document: try group.document(for: client),
                        base: model.base(of: client)
                    )
                )
            }
        }
        self.random = random
    }

    func step() throws {
        let index = Int.random(in: libraries.indices, using: &random)
        let library = libraries[index]
        let user = random.pick(Self.users)
        let scope = random.pick(Self.scopes)
        let isFamily = family.contains(library.client)
        var name = "library \(index) of \(library.client)\(isFamily ? " (family)" : ""): "
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2:
            name += "load"
            try library.load(from: group, model)
        case 3, 4:
            guard let held = library.refreshToken(of: user) else { return }
            let isRotated = !random.once(in: 4)
            name += "renew \(held) of \(user), \(scope), \(isRotated ? "rotated" : "kept")"
            if isRotated { library.renew(user, isFamily, to: next("r"), inPlace: Bool.random(using: &random)) }
            library.put(accessToken: next("a"), user, scope, tokenCount)
        case 5:
            name += "sign in \(user)"
            library.signIn(user, isFamily, next("r"))
            library.put(accessToken: next("a"), user, scope, tokenCount)
        case 6:
            name += "remove \(user)"
            library.remove(user)
        case 7:
            name += Bool.random(using: &random) ? "drop the refresh token of \(user)" : "purge \(user), \(scope)"
            if name.contains("drop") { library.removeRefreshToken(of: user) } else { library.purge(user, scope) }
        default:
            name += "store"
            try store(library)
        }
        log.append(name)
    }

    private func next(_ kind: String) -> String {
        tokenCount += 1
        return kind + "\(tokenCount)"
    }

    private func store(_ library: MergingLibrary) throws {
        storeCount += 1
        let client = library.client
        let others = try othersTokens(than: client)
        let lost = try signedOutTokens(library)
        library.base = model.merge(library.holdings, of: client, over: library.base)
        try library.document.merge(library.cache)
        if try library.document.merge(library.cache).hasChanges { failure = "a merge was not idempotent" }
        gone[client, default: []].formUnion(lost)
        if try othersTokens(than: client) != others { failure = "another client's access tokens changed" }
        let (tokens, expected) = (try group.tokens(), model.tokens)
        if tokens != expected { failure = "the group has \(tokens), not \(expected)" }
        for client in clients {
            let view = try group.view(of: client)
            let expected = model.base(of: client).accounts.values.flatMap { holding in
                [holding.refreshToken, holding.familyToken?.secret].compactMap(\.self) + holding.accessTokens.values
            }
            if view.tokens != expected.sorted() {
                failure = "\(client) sees \(view.tokens), not \(expected.sorted())"
            }
            let back = Set(view.tokens).intersection(gone[client] ?? [])
            if !back.isEmpty { failure = "\(client) has \(back) back" }
        }
    }

    /// The access tokens that other clients see.
    private func othersTokens(than client: String) throws -> [[String]] {
        try clients.filter { $0 != client }.map { try group.view(of: $0).tokens("AccessToken") }
    }

    /// The tokens that the client sees, of the accounts that its library no longer has.
    private func signedOutTokens(_ library: MergingLibrary) throws -> [String] {
        let holdings = library.holdings
        let users = Self.users.filter { user in
            library.base.accounts[user]?.hasAccount == true && holdings[user] == nil
        }
        return try users.flatMap { user in
            try group.view(of: library.client).entries.values.flatMap(\.values)
                .filter { $0["home_account_id"] == user }.compactMap { $0["secret"] }
        }
    }
}

/// A process with the library of one client, which loads, edits and stores documents.
private final class MergingLibrary {
    let client: String
    /// Whether it writes all entries under keys of its own form, as MSAL for .NET does.
    private let hasOwnKeys: Bool
    /// Whether a load leaves what it has in memory, as that does unless it is told otherwise.
    private let keepsMemory: Bool
    var document: CacheDocument
    var base: MergeModel.Base
    private(set) var cache: LibraryCache
    /// Refresh tokens under other keys whose successors it has.
    private var spent: Set<String> = []

    init(
        _ client: String,
        hasOwnKeys: Bool,
        keepsMemory: Bool,
        document: consuming CacheDocument,
        base: MergeModel.Base
    ) {
        self.client = client
        self.hasOwnKeys = hasOwnKeys
        self.keepsMemory = keepsMemory && hasOwnKeys
        cache = (try? LibraryCache(document.text())) ?? LibraryCache(entries: [:])
        self.document = document
        self.base = base
    }

    func load(from group: CacheGroup, _ model: MergeModel) throws {
        document = try group.document(for: client)
        base = model.base(of: client)
        var loaded = try LibraryCache(document.text())
        if hasOwnKeys {
            loaded.entries = loaded.entries.mapValues { section in
                Dictionary(section.values.map { (Self.key($0), $0) }, uniquingKeysWith: { $1 })
            }
        }
        if keepsMemory {
            for (section, entries) in cache.entries {
                loaded.entries[section, default: [:]].merge(entries) { loaded, _ in loaded }
            }
        } else {
            spent = []
        }
        cache = loaded
    }

    /// The key that a library with keys of its own gives an entry.
    private static func key(_ entry: LibraryCache.Entry) -> String {
        let names = ["credential_type", "home_account_id", "environment", "client_id", "realm", "target"]
        let family = entry["family_id"] ?? ""
        let parts = names.map { name in name == "client_id" && !family.isEmpty ? family : entry[name] ?? "" }
        return "own|" + parts.joined(separator: "|")
    }

    /// What it has, as the model sees it.
    var holdings: [String: MergeModel.Holding] {
        var holdings: [String: MergeModel.Holding] = [:]
        for entry in (cache.entries["AccessToken"] ?? [:]).values {
            guard let user = entry["home_account_id"], let scope = entry["target"] else { continue }
            holdings[user, default: .init()].accessTokens[scope] = entry["secret"]
        }
        for entry in (cache.entries["RefreshToken"] ?? [:]).values {
            guard let user = entry["home_account_id"], let secret = entry["secret"], let owner = entry["client_id"],
                !spent.contains(secret)
            else { continue }
            if entry["family_id"] == nil {
                holdings[user, default: .init()].refreshToken = secret
            } else {
                holdings[user, default: .init()].familyToken = .init(owner: owner, secret: secret)
            }
        }
        for entry in (cache.entries["Account"] ?? [:]).values {
            if let user = entry["home_account_id"] { holdings[user, default: .init()].hasAccount = true }
        }
        return holdings
    }

    func refreshToken(of user: String) -> String? {
        let holding = holdings[user]
        return holding?.refreshToken ?? holding?.familyToken?.secret
    }

    /// Writes the successor of the token that it has: into the entry where it was, or as its own.
    func renew(_ user: String, _ isFamily: Bool, to token: String, inPlace: Bool) {
        guard inPlace, let old = refreshToken(of: user) else { return write(user, isFamily, token) }
        for (key, entry) in cache.entries["RefreshToken"] ?? [:] where entry["secret"] == old {
            cache.entries["RefreshToken"]?[key]?["secret"] = token
        }
    }

    func signIn(_ user: String, _ isFamily: Bool, _ token: String) {
        write(user, isFamily, token)
        cache.put(account: user)
        if hasOwnKeys { moveToOwnKeys("Account") }
    }

    private func write(_ user: String, _ isFamily: Bool, _ token: String) {
        let old = refreshToken(of: user)
        cache.put(refreshToken: token, user: user, client: client, family: isFamily ? "1" : nil)
        if hasOwnKeys { moveToOwnKeys("RefreshToken") }
        if let old, (cache.entries["RefreshToken"] ?? [:]).values.contains(where: { $0["secret"] == old }) {
            spent.insert(old)
        }
    }

    private func moveToOwnKeys(_ section: String) {
        let entries = cache.entries[section] ?? [:]
        for (key, entry) in entries where !key.hasPrefix("own|") {
            cache.entries[section]?[key] = nil
            cache.entries[section]?[Self.key(entry)] = entry
        }
    }

    func put(accessToken token: String, _ user: String, _ scope: String, _ number: Int) {
        cache.put(accessToken: token, user: user, client: client, scopes: scope, cachedAt: 1_000 + number)
        if hasOwnKeys { return moveToOwnKeys("AccessToken") }
        // It finds its token by fields, and replaces that.
        let own = cache.entries["AccessToken"]?.first { $0.value["secret"] == token }?.key
        for (key, entry) in cache.entries["AccessToken"] ?? [:]
        where key != own && entry["home_account_id"] == user && entry["target"] == scope {
            cache.entries["AccessToken"]?[key] = nil
        }
    }

    func remove(_ user: String) { cache.remove(account: user) }

    func removeRefreshToken(of user: String) {
        cache.entries["RefreshToken"] = cache.entries["RefreshToken"]?.filter {
            $0.value["home_account_id"] != user || $0.value["client_id"] != client
        }
    }

    func purge(_ user: String, _ scope: String) {
        cache.entries["AccessToken"] = cache.entries["AccessToken"]?.filter {
            $0.value["home_account_id"] != user || $0.value["target"] != scope
        }
    }
}
