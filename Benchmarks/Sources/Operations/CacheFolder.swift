// SPDX-License-Identifier: Apache-2.0

internal import CacheAdministration
import Glibc
public import SampleAccounts
public import TokenCaching

/// A folder with a group of any number of accounts, some of whom are guests in a second tenant.
public struct CacheFolder {
    /// Number of accounts.
    public let count: Int
    /// Where the group's folder is.
    public let path: String
    /// Who they are.
    public let accounts: SampleAccounts
    /// Where the group keeps them.
    let storage: StorageChoice

    /// In a keyring, where folders are not apart, with the folder's name.
    var group: String {
        guard case .keyring = storage else { return "operations" }
        return "operations-" + path.split(separator: "/").suffix(1).joined()
    }

    static let host = "login.microsoftonline.com"
    /// A client of the same family that has no token of its own.
    static let sibling = "0c1f2b7e-43b5-4a55-8d0b-6a2f1f0a9d11"
    /// A tenant in which accounts are guests.
    static let guestTenant = "7d1a33c1-5b0e-4b7c-a4c5-2f3f8e9d6b02"
    /// How many accounts are guests, at most: those that operations choose from.
    static let guestLimit = 64

    /// A folder at `path`, which is there, for `count` accounts.
    public init(count: Int, path: String, storage: StorageChoice = .file(unlockedBy: .keyFile)) {
        self.count = count
        self.path = path
        self.storage = storage
        accounts = SampleAccounts(count: count, cachedAt: Int(time(nil)) - 60)
    }

    /// Makes the group.
    public func fill() throws {
        writeDocument()
        defer { unlink(document) }
        try importDocument()
        let cache = try open()
        for index in chosen { try makeGuest(index, in: cache) }
        cache.close()
    }

    /// The unified JSON of the group, where it was written.
    public var document: String { path + "/cache.json" }

    /// Writes the unified JSON that a group is made of.
    public func writeDocument() {
        accounts.writeUnifiedJSON(to: document)
    }

    /// Makes the group of what the document holds.
    public func importDocument() throws {
        try importDocument(into: path)
    }

    func importDocument(into root: String) throws {
        let group = try CacheGroup.open(
            group,
            root: root,
            storage: storage,
            access: .create
        )
        var options = ImportOptions()
        options.maximumByteCount = 2 << 30
        _ = try group.importEntries(from: .path(document), options: options)
        group.close()
    }

    /// The cache of the application that the tokens were issued to, or of another one.
    public func open(clientID: String = SampleAccounts.clientID) throws -> TokenCache {
        try TokenCache(group: group, clientID: clientID, root: path, storage: storage)
    }

    /// The accounts that operations choose from, spread over all of them.
    var chosen: [Int] {
        let number = min(count, CacheFolder.guestLimit)
        return (0..<number).map { $0 * (count / number) }
    }

    /// Accounts in an order that no cache line foresees, twenty thousand or a bit more: the same at every run.
    public var randomOrder: [Int] {
        var random = SplitMix(state: 42)
        let shuffled = Array((0..<count).shuffled(using: &random).prefix(20_000))
        let repetitions = (20_000 + shuffled.count - 1) / shuffled.count
        return (0..<repetitions).flatMap { _ in shuffled }
    }

    /// A query for what is stored for account `index`.
    public func query(_ index: Int) -> TokenQuery {
        TokenQuery(
            accountID: Account.ID(accounts.homeAccountID(index)),
            scopes: SampleAccounts.scopes,
            tenant: accounts.tenant(index),
            environment: CacheFolder.host
        )
    }

    /// What the renewal of account `index` is asked with.
    func renewal(_ index: Int) -> TokenRequest {
        TokenRequest(
            environment: CacheFolder.host,
            tenant: accounts.tenant(index),
            scopes: SampleAccounts.scopes,
            grant: .renewal,
            accountID: Account.ID(accounts.homeAccountID(index))
        )
    }

    private func makeGuest(_ index: Int, in cache: TokenCache) throws {
        let request = TokenRequest(
            environment: CacheFolder.host,
            tenant: CacheFolder.guestTenant,
            scopes: SampleAccounts.scopes,
            grant: .interactive,
            accountID: Account.ID(accounts.homeAccountID(index))
        )
        let json = accounts.guestResponse(index, tenant: CacheFolder.guestTenant)
        _ = try cache.save(TokenResponse(json: json), for: request)
    }
}
