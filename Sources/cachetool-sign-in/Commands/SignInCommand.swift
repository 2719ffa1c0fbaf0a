// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenAcquisition
import TokenCaching
import ToolInterface

/// `cachetool sign-in`
struct SignInCommand: NetworkCommand {
    static let configuration = SignInCommands.signIn

    @OptionGroup(title: "Sign-in options") var options: SignInOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session, _ services: Services) async throws {
        if output.noPrompt {
            throw CommandFailure(.usage, "A sign-in requires interaction. Omit --no-prompt.")
        }
        if options.deviceCode, options.loginHint != nil {
            throw CommandFailure(
                .usage,
                "With --device-code the user types the name in the browser. Omit --login-hint."
            )
        }
        let ofBrowser = [
            (options.redirectURI != nil, "--redirect-uri"), (options.responseMode != nil, "--response-mode"),
            (options.prompt != nil, "--prompt"), (options.domainHint != nil, "--domain-hint"),
            (options.maxAge != nil, "--max-age"), (options.allowIssuer != nil, "--allow-issuer"),
        ]
        if options.deviceCode, let given = ofBrowser.first(where: \.0) {
            throw CommandFailure(.usage, "--device-code opens no browser. Omit \(given.1).")
        }
        if options.addedScopes != nil, options.endpoints.tokenEndpoint != nil {
            throw CommandFailure(
                .usage,
                "With --token-endpoint no scopes are added to --scopes. Omit --added-scopes."
            )
        }
        if options.isolate, options.parameters.typedParameters.isEmpty {
            throw CommandFailure(
                .usage,
                "--isolate is for --parameter. --resource and --audience isolate without it."
            )
        }
        let claims = try options.claims.map(ClaimsRequest.init(json:))
        var named: SignInTarget?
        if options.resourceAddress == nil { named = try namedTarget(session) }
        let credential = try options.credential.credential(beside: group.keys)
        let hint = try loginHint()
        // Call this before creating a group: from here on Ctrl-C leaves no group behind, and ends the wait for a
        // passphrase.
        Interruption.beginEndingInput()
        do {
            let opened = try session.openedOrCreated()
            defer { opened.close() }
            Interruption.beforeGivingUp { _ = try? opened.removeIfUnused() }
            do {
                let target = if let named { named } else { try await foundTarget(in: opened, session, services) }
                var configuration = target.configuration
                configuration.renewsInBackground = false
                if let uri = options.redirectURI { configuration.redirectURI = uri }
                if let addedScopes { configuration.addedScopes = addedScopes }
                configuration.credential = credential
                if let issuer = options.allowIssuer { configuration.allowedIssuers = [issuer] }
                let cache = try session.cache(of: opened, clientID: configuration.clientID)
                let client = try PublicClient(configuration, cache: cache, services: services)
                do {
                    try await signIn(client, target, claims: claims, hint: hint, in: session)
                } catch let error as AcquisitionError where error.code == .issuerNotAllowed && session.prompt.isPossible
                {
                    session.console.warn("\(error)")
                    let url = configuration.authority.url
                    try session.prompt.confirm("Sign in at \(url) all the same?", isAnswered: false)
                    configuration.allowedIssuers = [url]
                    let allowing = try PublicClient(configuration, cache: cache, services: services)
                    try await signIn(allowing, target, claims: claims, hint: hint, in: session)
                }
            } catch {
                _ = try? opened.removeIfUnused()
                throw error
            }
        } catch {
            // The user is signed in where only some scopes were granted.
            let isSignedIn = (error as? CommandFailure)?.status == .partial
            if Interruption.isWanted, !isSignedIn { throw TokenCacheError(.cancelled) }
            throw (error as? AcquisitionError).map { session.failure($0, for: resourceWords) } ?? error
        }
    }

    /// The words of a sign-in for the same API; none if the client was named.
    private var resourceWords: [String] {
        let named = [("--for", options.resourceAddress), ("--authority", options.authority)]
        guard options.resourceAddress != nil, options.client == nil else { return [] }
        return named.flatMap { name, value in value.map { [name, AdvisedCommands.shellWord($0)] } ?? [] }
    }

    /// The target that the options name.
    private func namedTarget(_ session: Session) throws -> SignInTarget {
        var authority = try RequestWords.authority(options.authority ?? "", options.endpoints)
        if options.account != nil, authority.kind == .openIDConnect {
            authority = try .oauth(issuer: authority.url, endpointHosts: options.endpoints.endpointHost)
        }
        guard (options.account != nil) == (authority.kind == .oauth) else {
            throw CommandFailure(
                .usage,
                options.account == nil
                    ? "An authority without metadata does not say who signed in. Name the user with --account."
                    : Self.needlessAccount
            )
        }
        return SignInTarget(
            configuration: ClientConfiguration(clientID: options.client ?? "", authority: authority),
            scopes: try RequestWords.scopes(options.scopes ?? "", session),
            accountID: options.account.map { Account.ID($0) }
        )
    }

    private static let needlessAccount = "The authority says who signed in. Omit --account, or use --login-hint."

    /// The target for the API of --for.
    private func foundTarget(
        in group: CacheGroup,
        _ session: Session,
        _ services: Services
    ) async throws -> SignInTarget {
        var request = ProtectedResourceRequest(address: options.resourceAddress ?? "")
        request.authority = try options.authority.map { try RequestWords.authority($0, options.endpoints) }
        request.endpointHosts = options.endpoints.endpointHost
        request.addedScopes = addedScopes
        request.clientID = options.client
        request.redirectURI = options.redirectURI
        request.registersAnew = options.register
        request.clientName = "cachetool"
        if let scopes = options.scopes { request.scopes = try RequestWords.scopes(scopes, session) }
        // Only the group matters to it.
        let cache = try session.cache(of: group, clientID: "cachetool")
        func find() async throws -> ProtectedResource {
            try await interruptible { [request] in
                try await ProtectedResource.find(request, in: cache, services: services)
            }
        }
        let api: ProtectedResource
        do {
            api = try await find()
        } catch let error as AcquisitionError
            where error.code == .severalAuthorizationServers && session.prompt.isPossible
        {
            let servers = error.authorizationServers
            request.authority = try Authority(session.prompt.choose("Where do you want to sign in?", among: servers))
            api = try await find()
        }
        if options.account != nil, api.accountID == nil { throw CommandFailure(.usage, Self.needlessAccount) }
        let (url, scopes) = (api.configuration.authority.url, api.scopes.joined(separator: " "))
        session.console.remark("Signing in at \(url) for \(scopes).")
        return SignInTarget(
            configuration: api.configuration,
            scopes: api.scopes,
            accountID: options.account.map { Account.ID($0) } ?? api.accountID,
            api: api
        )
    }

    private var addedScopes: [String]? { options.addedScopes?.split(separator: " ").map(String.init) }

    private func signIn(
        _ client: PublicClient,
        _ target: SignInTarget,
        claims: ClaimsRequest?,
        hint: String?,
        in session: Session
    ) async throws {
        var declined: [String] = []
        let result: AuthenticationResult
        do {
            result =
                options.deviceCode
                ? try await signInElsewhere(client, target, claims: claims, in: session)
                : try await signInHere(client, target, claims: claims, hint: hint, in: session)
        } catch let error as AcquisitionError where error.code == .scopesDeclined {
            // The user is signed in nevertheless.
            guard let granted = error.result else { throw error }
            (result, declined) = (granted, error.declinedScopes)
        }
        try await target.api?.keep(in: client.cache, after: result)
        try await report(result, of: client, target, session)
        try await saveProfile(result, of: client, target, session)
        if !declined.isEmpty {
            throw CommandFailure(.partial, "The authority did not grant \(declined.joined(separator: " ")).")
        }
    }

    private func isolatedParameters(_ target: SignInTarget) -> [String: String] {
        var parameters = options.parameters.all.filter { options.isolate || options.parameters.own[$0.key] == nil }
        if let resource = target.api?.resource { parameters["resource"] = resource }
        return parameters
    }

    private var extraParameters: [String: String] { options.isolate ? [:] : options.parameters.own }

    private func loginHint() throws(CommandFailure) -> String? {
        guard options.loginHint == "-" else { return options.loginHint }
        guard let line = readLine(), !line.isEmpty else {
            throw CommandFailure(.usage, "Standard input has no name for --login-hint -.")
        }
        return line
    }

    private func signInHere(
        _ client: PublicClient,
        _ target: SignInTarget,
        claims: ClaimsRequest?,
        hint: String?,
        in session: Session
    ) async throws -> AuthenticationResult {
        var request = InteractiveRequest(scopes: target.scopes)
        request.claims = claims
        request.loginHint = hint
        (request.isolatedParameters, request.extraParameters) = (isolatedParameters(target), extraParameters)
        request.accountID = target.accountID
        request.domainHint = options.domainHint
        request.maximumAge = options.maxAge.map { .seconds(Int64($0)) }
        if let page = options.prompt, let prompt = Prompt(rawValue: page.rawValue) { request.prompt = prompt }
        request.responseMode = options.responseMode.flatMap { ResponseMode(rawValue: $0.rawValue) }
        session.console.flush()
        let reminder = BrowserReminder(isForAPI: target.api != nil, isQuiet: session.console.isQuiet)
        defer { reminder.end() }
        request.onBrowserOpened = { reminder.noteOpened($0) }
        return try await interruptible(client, losing: lossOfSignIn) { [request] client in
            try await client.acquireToken(request)
        }
    }

    private func signInElsewhere(
        _ client: PublicClient,
        _ target: SignInTarget,
        claims: ClaimsRequest?,
        in session: Session
    ) async throws -> AuthenticationResult {
        var request = DeviceCodeRequest(scopes: target.scopes)
        request.claims = claims
        (request.isolatedParameters, request.extraParameters) = (isolatedParameters(target), extraParameters)
        request.accountID = target.accountID
        let now = session.console.now
        session.console.flush()
        return try await interruptible(client, losing: lossOfSignIn) { [request] client in
            try await client.acquireToken(request) { prompt in
                // Printed even if quiet, and on standard error even with --json: without the code the user cannot sign
                // in.
                let errors = OutputStream(descriptor: 2)
                let time = HumanTime.duration(max(0, prompt.expiresOn.secondsSince1970 - now))
                errors.write(line: "Open this address with a browser on any device, and enter the code:")
                errors.write(line: "  " + VisibleText.escaped(prompt.verificationURI))
                errors.write(line: "  " + VisibleText.escaped(prompt.userCode) + "    (valid for \(time))")
                errors.flush()
            }
        }
    }

    /// Whether there is a refresh token for the target; true if that cannot be found out.
    private func lasts(
        _ result: AuthenticationResult,
        of account: Account,
        _ target: SignInTarget,
        in cache: TokenCache
    ) -> Bool {
        var options = TokenQueryOptions(forceRefresh: true)
        options.extendedCacheKey = try? ExtendedCacheKey(requestParameters: isolatedParameters(target))
        let query = TokenQuery(
            account: account,
            scopes: ["openid"],
            tenant: result.accessToken.tenant,
            environment: result.accessToken.environment,
            options: options
        )
        guard let diagnosis = try? cache.diagnosis(of: query) else { return true }
        return diagnosis.refreshToken?.shortfalls.isEmpty ?? false
    }

    /// Keeps the options of this sign-in, and who signed in; only the latter in a profile that was used.
    private func saveProfile(
        _ result: AuthenticationResult,
        of client: PublicClient,
        _ target: SignInTarget,
        _ session: Session
    ) async throws {
        guard let name = options.saveAs ?? options.profile else { return }
        let account = try await result.account()
        let authority = client.configuration.authority
        var user = Profile(name)
        user.add("account", account.map { $0.hasHomeAccountID ? $0.id.text : $0.shownName })
        if authority.kind != .oauth { user.add("login-hint", account?.username) }
        var profile = Profile(name)
        profile.add("for", options.resourceAddress)
        profile.add("authority", authority.url)
        profile.add("client", client.configuration.clientID)
        profile.add(options.credential)
        profile.add("scopes", (target.api == nil ? target.scopes : result.scopes).joined(separator: " "))
        profile.add("added-scopes", options.addedScopes)
        profile.add(options.parameters, isolate: options.isolate)
        if let api = target.api { profile.add("resource", api.resource) }
        for option in user.options { profile.add(option.name, option.value) }
        if authority.kind == .oauth { profile.addMissingIDTokens() }
        if authority.kind == .entra, authority.namesOneTenant { profile.add("tenant", result.accessToken.tenant) }
        profile.add("redirect-uri", options.redirectURI)
        profile.add(options.endpoints)
        profile.add(group)
        do throws(CommandFailure) {
            guard options.saveAs != nil else {
                // Typed options are for this sign-in only.
                let saved = try ProfileFile.read()[name]
                let isSame = ["client", "group"].allSatisfy { saved?[$0] == profile[$0] }
                return isSame ? try ProfileFile.update(name, user.options) : ()
            }
            try ProfileFile.save(profile)
        } catch {
            throw CommandFailure(.partial, "The user is signed in, but profile \(name) was not saved. \(error.message)")
        }
        session.console.remark("Profile \(name) stands for these options: cachetool token \(name) -- COMMAND")
    }

    private func report(
        _ result: AuthenticationResult,
        of client: PublicClient,
        _ target: SignInTarget,
        _ session: Session
    ) async throws {
        let account = try await result.account()
        let clientID = client.configuration.clientID
        guard session.usesJSON else {
            session.console.remark("\(account.map(\.shownName) ?? "The user") is signed in to app \(clientID).")
            if let account, !lasts(result, of: account, target, in: client.cache) {
                let asksUsers = client.configuration.authority.kind != .oauth && !options.deviceCode
                let canAsk = asksUsers && options.prompt != .consent
                session.console.remark(
                    "No refresh token was granted, so the sign-in ends with this token."
                        + (canAsk ? " If it should last, sign in again with --prompt consent." : "")
                )
            }
            return
        }
        let json = JSONWriter(session.console.output)
        json.document {
            json.member("group", session.groupName)
            json.member("client_id", clientID)
            json.member("username", account.map { $0.username ?? "" })
            json.account(account.flatMap { $0.hasHomeAccountID ? $0.id : nil })
            json.member("environment", result.accessToken.environment)
            json.member("tenant", result.accessToken.tenant)
            json.member("scopes", result.scopes)
            json.member("expires_on", result.expiresOn.secondsSince1970)
        }
    }
}

/// Where to sign in, as which client, and for what.
private struct SignInTarget {
    let configuration: ClientConfiguration
    let scopes: [String]
    var accountID: Account.ID?
    var api: ProtectedResource?
}

extension Authority {
    /// Whether its URL names a tenant, and not a word for several.
    fileprivate var namesOneTenant: Bool {
        let last = url.split(separator: "/").last.map(String.init) ?? ""
        return !["common", "organizations", "consumers"].contains(last.lowercased())
    }
}
