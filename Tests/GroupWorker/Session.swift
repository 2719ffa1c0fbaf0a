// SPDX-License-Identifier: Apache-2.0

import TokenCaching

/// One worker's open cache.
struct Session {
    let cache: TokenCache
    let options: Options
    let tokenQueries: [TokenQuery]
    let renewalQueries: [TokenQuery]

    init(_ options: Options) throws(TokenCacheError) {
        self.options = options
        cache = try TokenCache(
            group: options.group,
            clientID: options.client == 0 ? Person.client : "client-\(options.client)",
            root: options.root,
            storage: Self.storage(options.storage),
            options: TokenCacheOptions(timeout: .milliseconds(options.timeout))
        )
        let people = (0..<max(options.accounts, 16)).map { Person(writer: options.writer, number: $0) }
        tokenQueries = people.map { TokenQuery(accountID: $0.accountID, scopes: ["User.Read"]) }
        // Nobody was ever granted this: what is left is to renew.
        renewalQueries = people.map { TokenQuery(accountID: $0.accountID, scopes: ["Nobody.Has.This"]) }
    }

    static func storage(_ name: String) -> StorageChoice {
        switch name {
        case "automatic": .automatic
        case "file": .file(unlockedBy: .keyFile)
        case "file-with-keyring": .file(unlockedBy: .keyring)
        case "keyring": .keyring(collection: nil)
        default: giveUp("unknown storage \(name)")
        }
    }

    /// Saves the response of sign-in number `save` for one account, as one transaction.
    func save(_ save: Int, account: Int) throws(TokenCacheError) {
        let person = Person(writer: options.writer, number: account)
        let request = TokenRequest(
            environment: Person.host,
            tenant: Person.tenant,
            scopes: ["User.Read"],
            grant: .interactive
        )
        try cache.save(TokenResponse(json: person.response(save: save, size: options.size)), for: request)
    }

    /// The save that the account's access token comes from; nil where there is none.
    func accessToken(account: Int) throws(TokenCacheError) -> Int? {
        try Self.lookingAgain { () throws(TokenCacheError) in
            guard case .valid(let token) = try cache.token(for: tokenQueries[account]) else { return nil }
            return try Person.save(of: token.secretString)
        }
    }

    /// The save that the account's refresh token comes from; nil where there is none.
    func refreshToken(account: Int) throws(TokenCacheError) -> Int? {
        try Self.lookingAgain { () throws(TokenCacheError) in
            guard case .renew(let token, _) = try cache.token(for: renewalQueries[account]) else { return nil }
            return try Person.save(of: token.secretString)
        }
    }

    /// Does what the error says of a token that is replaced between lookup and use, which many writers do again and again.
    private static func lookingAgain(
        _ find: () throws(TokenCacheError) -> Int?
    ) throws(TokenCacheError) -> Int? {
        for _ in 0..<20 {
            do throws(TokenCacheError) {
                return try find()
            } catch {
                guard error.code == .tokenGone else { throw error }
            }
        }
        return try find()
    }
}
