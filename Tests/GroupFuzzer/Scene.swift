// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import TokenCaching

/// Where the folders of one worker lie: groups below `data`, and what the library keeps apart from them below `state`.
struct Scene {
    static let group = "main"
    static let sibling = "sibling"
    static let groups = "data/swift-token-cache"
    static let apart = "state/swift-token-cache"

    let folder: String

    /// A new scene, which the library finds by the variables of this process.
    init() {
        let parent = Disk.kind(of: "/dev/shm") == nil ? "/tmp" : "/dev/shm"
        folder = "\(parent)/group-fuzzer.\(ProcessInfo.processInfo.processIdentifier)"
        Disk.remove(folder)
        Disk.makeFolder(folder)
        for (name, value) in environment { unsafe setenv(name, value, 1) }
    }

    var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder, "XDG_DATA_HOME": folder + "/data",
            "XDG_STATE_HOME": folder + "/state",
        ]
    }

    /// The folder of the group that is attacked.
    var groupFolder: String { folder + "/" + Self.groups + "/" + Self.group }

    var tree: Tree { Tree(of: folder) }

    /// An empty scene.
    func clear() {
        Tree().restore(to: folder)
        for name in ["data", "state", Self.groups, Self.apart] { Disk.makeFolder(folder + "/" + name) }
    }
}

/// What a trial asks of a group through the library.
struct Session {
    let name: String
    var storage = StorageChoice.automatic

    func open(_ access: GroupAccess) throws(TokenCacheError) -> CacheGroup {
        try CacheGroup.open(name, storage: storage, access: access)
    }

    /// The secrets that a group gives, and the whole document, for those that must not be in it.
    func export() throws(TokenCacheError) -> Set<String> {
        let group = try open(.readOnly)
        defer { group.close() }
        return try Self.export(group)
    }

    static func export(_ group: CacheGroup) throws(TokenCacheError) -> Set<String> {
        let document = Document()
        _ = try group.exportEntries(
            to: .sink { (bytes) throws(TokenCacheError) in
                unsafe bytes.withUnsafeBytes { unsafe document.bytes.append(contentsOf: $0) }
            },
            options: ExportOptions(includesSignedOutAccounts: true)
        )
        return People.secrets(in: document.bytes)
    }

    private final class Document {
        var bytes: [UInt8] = []
    }

    func change(_ body: (CacheGroup) throws(TokenCacheError) -> Void) throws(TokenCacheError) {
        let group = try open(.readWrite)
        defer { group.close() }
        try body(group)
    }

    func take(_ document: [UInt8], create: Bool = false) throws(TokenCacheError) {
        let group = try open(create ? .create : .readWrite)
        defer { group.close() }
        _ = try group.importEntries(from: .bytes(document))
    }

    /// As applications open it.
    func cache() throws(TokenCacheError) -> TokenCache {
        try TokenCache(group: name, clientID: People.client, storage: storage)
    }

    func accessToken(of id: String) throws(TokenCacheError) -> String? {
        let cache = try TokenCache(group: name, clientID: People.client, storage: storage)
        guard case .valid(let token) = try cache.token(for: TokenQuery(accountID: Account.ID(id), scopes: ["s"])) else {
            return nil
        }
        return try token.secretString
    }

    func signOut(_ id: String) throws(TokenCacheError) {
        try TokenCache(group: name, clientID: People.client, storage: storage).signOut(accountID: Account.ID(id))
    }
}
