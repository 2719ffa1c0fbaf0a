// SPDX-License-Identifier: Apache-2.0

public import CacheAdministration
public import TokenCaching

/// What a request means that names no application or no scopes.
extension CacheGroup {
    /// Finds the only application that is signed in.
    ///
    /// - Parameter account: the name of an account; nil for all of them.
    /// - Returns: its client id.
    /// - Throws: ``CommandFailure`` if none is, or several are.
    public func onlyClient(of account: String?) throws -> String {
        var clients: [String: String] = [:]
        try forEachAccount(named: account) { account throws(TokenCacheError) in
            for client in account.signedInClients { clients[client.lowercased()] = client }
        }
        guard let only = clients.values.first else { throw CommandFailure(.notFound, "No account is signed in.") }
        guard clients.count == 1 else {
            let shown = clients.values.sorted().prefix(6).joined(separator: ", ") + (clients.count > 6 ? ", …" : "")
            throw CommandFailure(
                .usage,
                "\(clients.count) apps are signed in: \(shown).",
                advice: "Select one with --client, or name a profile; cachetool profiles lists them."
            )
        }
        return only
    }

    /// Finds the access token that an application stored last.
    ///
    /// - Returns: its scopes.
    /// - Throws: ``CommandFailure`` if it has none.
    public func latestScopes(of account: Account, client: String) throws -> [String] {
        var latest: EntrySummary?
        let filter = EntryFilter(
            account: account.hasHomeAccountID ? account.id.text : account.username,
            clientID: client
        )
        try forEachEntry(matching: filter, readingNewest: false) { entry throws(TokenCacheError) in
            guard entry.kind == .accessToken || entry.kind == .boundAccessToken, entry.hasToken else { return }
            func rank(_ entry: EntrySummary) -> (Int64, UInt64) {
                (entry.cachedAt?.secondsSince1970 ?? .min, entry.sequence)
            }
            if latest.map({ rank($0) < rank(entry) }) ?? true { latest = entry }
        }
        guard let scopes = latest?.scopes, !scopes.isEmpty else {
            throw CommandFailure(.usage, "No token of the app tells the scopes. Name them with --scopes.")
        }
        return scopes
    }

    /// Finds the only account that is signed in to an application.
    ///
    /// - Parameters:
    ///   - cache: the application's cache.
    ///   - isMeant: whether an account counts.
    /// - Returns: the account.
    /// - Throws: ``CommandFailure`` if none is, or several are.
    public static func onlyAccount(in cache: TokenCache, where isMeant: (Account) -> Bool = { _ in true }) throws
        -> Account
    {
        let accounts = try cache.accounts(matching: .signedIn).filter(isMeant)
        guard let account = accounts.first else { throw CommandFailure(.notFound, "No account is signed in.") }
        guard accounts.count == 1 else {
            let issuers = Set(accounts.compactMap(\.id.issuer)).sorted()
            let places = issuers.count > 1 ? ", at \(issuers.joined(separator: " and "))" : ""
            throw CommandFailure(
                .usage,
                "\(accounts.count) accounts are signed in\(places): select one with --account. cachetool accounts lists them."
            )
        }
        return account
    }
}
