// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// The cache of a library that loads a document, edits it in memory and gives it back as a whole.
struct LibraryCache: Equatable {
    typealias Entry = [String: String]

    static let sections = ["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"]

    var entries: [String: [String: Entry]]

    init(entries: [String: [String: Entry]]) {
        self.entries = entries
    }

    init(_ text: String) throws {
        entries = try JSONDecoder().decode([String: [String: Entry]].self, from: Data(text.utf8))
    }

    init(_ document: borrowing CacheDocument) throws { try self.init(document.text()) }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return (try? encoder.encode(entries)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The tokens of a section, sorted.
    func tokens(_ section: String) -> [String] { (entries[section] ?? [:]).values.compactMap { $0["secret"] }.sorted() }

    /// All tokens, sorted.
    var tokens: [String] { entries.keys.sorted().flatMap { tokens($0) }.sorted() }

    mutating func put(_ section: String, _ key: String, _ entry: Entry) { entries[section, default: [:]][key] = entry }

    mutating func put(
        accessToken secret: String,
        user: String = "uid.utid",
        client: String = "client",
        scopes: String = "user.read",
        cachedAt: Int = 1_000
    ) {
        put(
            "AccessToken",
            "\(user)-login.windows.net-accesstoken-\(client)-contoso-\(scopes)",
            [
                "credential_type": "AccessToken", "secret": secret, "home_account_id": user,
                "environment": "login.windows.net", "client_id": client, "realm": "contoso", "target": scopes,
                "cached_at": "\(cachedAt)", "expires_on": "\(cachedAt + 3600)",
            ]
        )
    }

    mutating func put(
        refreshToken secret: String,
        user: String = "uid.utid",
        client: String = "client",
        family: String? = nil,
        key: String? = nil,
        modified: Int? = nil,
        environment: String = "login.windows.net"
    ) {
        var entry = [
            "credential_type": "RefreshToken", "secret": secret, "home_account_id": user, "environment": environment,
            "client_id": client,
        ]
        entry["family_id"] = family
        entry["last_modification_time"] = modified.map(String.init)
        put("RefreshToken", key ?? "\(user)-\(environment)-refreshtoken-\(family ?? client)--", entry)
    }

    mutating func put(account user: String, environment: String = "login.windows.net", realm: String = "contoso") {
        put(
            "Account",
            "\(user)-\(environment)-\(realm)",
            [
                "home_account_id": user, "environment": environment, "realm": realm, "local_account_id": "oid",
                "username": "\(user)@contoso.com", "authority_type": "MSSTS",
            ]
        )
    }

    mutating func put(metadataOf client: String = "client", family: String = "") {
        put(
            "AppMetadata",
            "appmetadata-login.windows.net-\(client)",
            ["client_id": client, "environment": "login.windows.net", "family_id": family]
        )
    }

    /// What an interactive sign-in writes.
    mutating func signIn(
        _ number: String,
        user: String = "uid.utid",
        client: String = "client",
        family: String? = nil,
        cachedAt: Int = 1_000
    ) {
        put(accessToken: "a" + number, user: user, client: client, cachedAt: cachedAt)
        put(refreshToken: "r" + number, user: user, client: client, family: family)
        put(account: user)
        if let family { put(metadataOf: client, family: family) }
    }

    /// What libraries do when an account is removed: everything of it goes.
    mutating func remove(account user: String = "uid.utid") {
        for section in entries.keys {
            entries[section] = entries[section]?.filter { $0.value["home_account_id"] != user }
        }
    }
}

extension CacheDocument {
    func text() throws(TokenCacheError) -> String {
        try withBytes { (bytes) throws(TokenCacheError) in String(copying: bytes) }
    }

    /// Merges what a library has.
    @discardableResult
    mutating func merge(_ cache: LibraryCache) throws(TokenCacheError) -> MergeReport { try merge(text: cache.text) }

    @discardableResult
    mutating func merge(text: String, options: MergeOptions = MergeOptions()) throws(TokenCacheError) -> MergeReport {
        let bytes = Array(text.utf8)
        return try merge(bytes.rawSpan, options: options)
    }
}

extension CacheGroup {
    /// Loads a document, lets a library edit it, and merges the result.
    @discardableResult
    func edit(
        for client: String = "client",
        account: String? = nil,
        _ body: (inout LibraryCache) throws -> Void
    ) throws -> MergeReport {
        var document = try document(for: client, account: account)
        var cache = try LibraryCache(document)
        try body(&cache)
        return try document.merge(cache)
    }

    /// What a client sees.
    func view(of client: String = "client", account: String? = nil) throws -> LibraryCache {
        let document = try document(for: client, account: account)
        return try LibraryCache(document)
    }

    /// Every token of the group, sorted.
    func tokens() throws -> [String] {
        let text = try give(ExportOptions(includesSignedOutAccounts: true)).text
        return try text == "{}" ? [] : LibraryCache(text).tokens
    }
}
