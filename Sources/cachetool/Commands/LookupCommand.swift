// SPDX-License-Identifier: Apache-2.0

// SAFETY: the array outlives its span.

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool lookup`
struct LookupCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "Show what a silent sign-in would return, and why.",
        usage: "cachetool lookup [<profile>] [<options>]",
        discussion: """
            The decision is one of: hit (the cache has a valid token), renew (the cache has a refresh token, or the \
            server wants the valid token renewed), interaction (the user has to sign in). The exit status is 0 for hit \
            and renew, and 3 for interaction. Without a hit, shows which stored tokens come nearest and what they \
            lack, and whether a server refused the refresh token.

            A profile of cachetool sign-in --save-as stands for its options, as in cachetool token, and what is not named \
            is the same: the only account and app that are signed in, and the scopes of the app's latest token. With \
            --tenant and without --account, looks up a token of the app itself (client credentials).

            EXAMPLES:
              cachetool lookup work
              cachetool lookup --account adele@contoso.example \\
                  --client 11111111-2222-3333-4444-555555555555 \\
                  --scopes "User.Read Mail.Read"
              token=$(cachetool lookup ... --json --reveal --yes | jq -r .secret)
            """
    )

    @OptionGroup(title: "Lookup options") var options: LookupOptions
    @OptionGroup(title: "Showing the token") var reveal: RevealOptions
    @OptionGroup(title: "The cache of another library") var document: DocumentOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        try checkScopes(options, session)
        let showsSecret = try Reveal.isWanted(reveal, session)
        let shown = try document.open(or: group, session)
        let opened = shown.cache
        defer { opened.close() }
        let options = try options.completed(TypedNames(opened, session.console), in: opened)
        let client = options.client ?? ""
        let scopes = LookupOptions.scopes(options.scopes)
        let cache = try opened.tokenCache(clientID: client)
        let (decision, query) = try decision(of: cache, options, scopes)
        var answer = LookupAnswer(
            decision: decision,
            client: client,
            hasClaims: options.claims != nil,
            now: session.console.now
        )
        if !answer.isHit {
            answer.isClientKnown = try isKnown(client, of: options.account, in: opened)
            answer.diagnosis = LookupDiagnosis(
                diagnosis: try cache.diagnosis(of: query),
                scopes: scopes,
                hasClaims: options.claims != nil,
                now: session.console.now
            )
        }
        if session.usesJSON {
            try answer.write(JSONWriter(session.console.output), group: shown.groupName, showsSecret: showsSecret)
        } else {
            try answer.write(to: session.console, showsSecret: showsSecret)
            if let advice = answer.advice { session.console.remark(session.advised.completed(advice)) }
        }
        if answer.needsPerson { throw CommandFailure.silent(.notFound) }
        try shown.finish()
    }

    /// Whether any entry of the account belongs to the application.
    private func isKnown(_ client: String, of account: String?, in cache: CacheGroup) throws -> Bool {
        guard let account else { return true }
        var isKnown = false
        let filter = EntryFilter(account: account, clientID: client)
        try cache.forEachEntry(matching: filter, readingNewest: false) { _ in isKnown = true }
        return isKnown
    }

    /// Rejects a list with other separators, which would silently result in a miss.
    private func checkScopes(_ options: LookupOptions, _ session: Session) throws {
        let scopes = options.scopes
        guard scopes?.contains(where: { $0 != " " }) ?? true else {
            throw CommandFailure(.usage, "--scopes is empty. Name at least one scope, such as User.Read.")
        }
        if let claims = options.claims {
            let value = try? unsafe JSONValue(parsing: Array(claims.utf8).span.bytes)
            guard case .object = value else {
                throw CommandFailure(.usage, "--claims is not a JSON object, such as {\"access_token\":{...}}.")
            }
        }
        if scopes?.contains(where: { $0 == "," || $0 == ";" }) == true {
            session.console.warn("scopes are separated by spaces; the text between two spaces is one scope.")
        }
    }

    /// A text may be the subject of one account and the username of another.
    private func refuse(_ name: String, ifNotOnlyOf decision: TokenDecision, in cache: TokenCache) throws {
        let id: Account.ID? =
            switch decision {
            case .valid(let token): token.accountID
            case .renew(let token, _): token.accountID
            case .interactionRequired: nil
            @unknown default: nil
            }
        guard let id, id != Account.ID(name) else { return }
        let others = try cache.accounts(matching: AccountFilter(username: name, includesSignedOut: true)).filter {
            $0.id != id
        }
        guard let other = others.first else { return }
        throw CommandFailure(
            .usage,
            "\(name) is the subject of \(id.text) and the username of \(other.id.text). Use one of these ids."
        )
    }

    /// Queries by home account id first, then by username: programs know the first, users the second.
    private func decision(
        of cache: TokenCache,
        _ options: LookupOptions,
        _ scopes: [String]
    ) throws -> (TokenDecision, TokenQuery) {
        var extras = TokenQueryOptions()
        extras.claimsChallenge = options.claims
        extras.extendedCacheKey = options.parameters.key
        guard let account = options.account else {
            let query = TokenQuery(
                applicationScopes: scopes,
                tenant: options.tenant ?? "",
                environment: options.environment,
                options: extras
            )
            return (try cache.token(for: query), query)
        }
        let byID = TokenQuery(
            accountID: Account.ID(account),
            scopes: scopes,
            tenant: options.tenant,
            environment: options.environment,
            options: extras
        )
        let first = try cache.token(for: byID)
        try refuse(account, ifNotOnlyOf: first, in: cache)
        guard case .interactionRequired(.accountUnknown) = first, Account.ID(account).issuer == nil else {
            return (first, byID)
        }
        let byName = TokenQuery(
            username: account,
            scopes: scopes,
            tenant: options.tenant,
            environment: options.environment,
            options: extras
        )
        return (try cache.token(for: byName), byName)
    }
}

/// The parameters of a silent request.
struct LookupOptions: ParsableArguments {
    @Argument(help: ProfileOption.help, completion: NameCompletion.profiles)
    var profile: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A home account id or a username, or how one of them begins. (default: the only one that is signed in)",
            valueName: "account"
        ),
        completion: NameCompletion.accounts
    )
    var account: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The requesting app; the beginning of its id is enough. (default: the only one that is signed in)",
            valueName: "client"
        ),
        completion: NameCompletion.clients
    )
    var client: String?

    @Option(
        help: ArgumentHelp(
            "The requested scopes, separated by spaces, in quotes. (default: those of the app's latest token)",
            valueName: "scopes"
        )
    )
    var scopes: String?

    @Option(
        help: ArgumentHelp(
            "A tenant, or common, organizations, consumers. (default: the account's home tenant)",
            valueName: "tenant"
        ),
        completion: NameCompletion.tenants
    )
    var tenant: String?

    @Option(
        help: ArgumentHelp("Only tokens of this cloud, named by any of its hosts.", valueName: "host")
    )
    var environment: String?

    @OptionGroup var parameters: TokenParameterOptions

    @Option(help: ArgumentHelp("A claims challenge (JSON): ignores the cached access token.", valueName: "json"))
    var claims: String?

    func validate() throws {
        if scopes == nil, account == nil, tenant != nil {
            throw ValidationError("For a token of the app itself, name the --scopes.")
        }
        // As of an unset variable of a shell: it would mean any cloud.
        if environment?.allSatisfy(\.isWhitespace) == true { throw ValidationError("--environment is empty.") }
        if let tenant, !tenant.isEmpty, tenant.allSatisfy(\.isWhitespace) {
            throw ValidationError("--tenant is blank.")
        }
    }
}

extension LookupOptions {
    static func scopes(_ typed: String?) -> [String] { (typed ?? "").split(separator: " ").map(String.init) }

    /// The options with partly typed names completed, and with what `cachetool token` takes for those that were not typed.
    func completed(_ names: TypedNames, in group: CacheGroup) throws -> LookupOptions {
        var options = self
        options.account = try account.map(names.account)
        let client =
            try client.map { try names.client($0, of: options.account) } ?? group.onlyClient(of: options.account)
        options.client = client
        options.tenant = try tenant.map { try names.tenant($0, of: options.account) }
        if account == nil, tenant == nil || profile != nil {
            let cache = try group.tokenCache(clientID: client)
            let only = try CacheGroup.onlyAccount(in: cache)
            options.account = only.hasHomeAccountID ? only.id.text : only.username
        }
        if scopes == nil, let name = options.account {
            let cache = try group.tokenCache(clientID: client)
            let account = try cache.account(named: name, includesSignedOut: true, prefersSignedIn: true)
            options.scopes = try group.latestScopes(of: account, client: client).joined(separator: " ")
        }
        return options
    }
}
