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
            (options.maxAge != nil, "--max-age"),
        ]
        if options.deviceCode, let given = ofBrowser.first(where: \.0) {
            throw CommandFailure(.usage, "--device-code opens no browser. Omit \(given.1).")
        }
        if options.isolate, options.parameters.typedParameters.isEmpty {
            throw CommandFailure(
                .usage,
                "--isolate is for --parameter. --resource and --audience isolate without it."
            )
        }
        let scopes = try RequestWords.scopes(options.scopes, session)
        let claims = try RequestWords.claims(options.claims)
        let authority = try RequestWords.authority(options.authority, options.endpoints)
        guard (options.account != nil) == (authority.kind == .oauth) else {
            throw CommandFailure(
                .usage,
                options.account == nil
                    ? "An authority without metadata does not say who signed in. Name the user with --account."
                    : "The authority says who signed in. Omit --account, or use --login-hint."
            )
        }
        var configuration = ClientConfiguration(clientID: options.client, authority: authority)
        configuration.renewsInBackground = false
        if let uri = options.redirectURI { configuration.redirectURI = uri }
        if let added = options.addedScopes { configuration.addedScopes = added.split(separator: " ").map(String.init) }
        configuration.credential = try options.credential.credential(beside: group.keys)
        if let issuer = options.allowIssuer { configuration.allowedIssuers = [issuer] }
        let hint = try loginHint()
        let reminder = BrowserReminder(isQuiet: session.console.isQuiet)
        let services = reminder.added(to: services)
        // Call this before creating a group: from here on Ctrl-C leaves no group behind, and ends the wait for a
        // passphrase.
        Interruption.beginEndingInput()
        do {
            let opened = try session.openedOrCreated()
            defer { opened.close() }
            do {
                let cache = try session.cache(of: opened, clientID: options.client)
                let client = try PublicClient(configuration, cache: cache, services: services)
                do {
                    try await signIn(client, scopes: scopes, claims: claims, hint: hint, reminder, in: session)
                } catch let error as AcquisitionError where error.code == .issuerNotAllowed && session.prompt.isPossible
                {
                    session.console.warn("\(error)")
                    try session.prompt.confirm("Sign in at \(options.authority) all the same?", isAnswered: false)
                    configuration.allowedIssuers = [configuration.authority.url]
                    let allowing = try PublicClient(configuration, cache: cache, services: services)
                    try await signIn(allowing, scopes: scopes, claims: claims, hint: hint, reminder, in: session)
                }
            } catch {
                session.removeIfUnused(opened)
                throw error
            }
        } catch {
            throw Interruption.isWanted ? TokenCacheError(.cancelled) : error
        }
    }

    private func signIn(
        _ client: PublicClient,
        scopes: [String],
        claims: ClaimsRequest?,
        hint: String?,
        _ reminder: BrowserReminder,
        in session: Session
    ) async throws {
        var declined: [String] = []
        let result: AuthenticationResult
        do {
            result =
                options.deviceCode
                ? try await signInElsewhere(client, scopes: scopes, claims: claims, in: session)
                : try await signInHere(client, scopes: scopes, claims: claims, hint: hint, reminder, in: session)
        } catch let error as AcquisitionError where error.code == .scopesDeclined {
            // The user is signed in nevertheless.
            guard let granted = error.result else { throw error }
            (result, declined) = (granted, error.declinedScopes)
        }
        try report(result, session)
        if !declined.isEmpty {
            throw CommandFailure(.partial, "The authority did not grant \(declined.joined(separator: " ")).")
        }
    }

    private var isolatedParameters: [String: String] {
        options.parameters.all.filter { options.isolate || options.parameters.own[$0.key] == nil }
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
        scopes: [String],
        claims: ClaimsRequest?,
        hint: String?,
        _ reminder: BrowserReminder,
        in session: Session
    ) async throws -> AuthenticationResult {
        var request = InteractiveRequest(scopes: scopes)
        request.claims = claims
        request.loginHint = hint
        (request.isolatedParameters, request.extraParameters) = (isolatedParameters, extraParameters)
        request.accountID = options.account.map { Account.ID($0) }
        request.domainHint = options.domainHint
        request.maximumAge = options.maxAge.map { .seconds(Int64($0)) }
        if let page = options.prompt, let prompt = Prompt(rawValue: page.rawValue) { request.prompt = prompt }
        request.responseMode = options.responseMode.flatMap { ResponseMode(rawValue: $0.rawValue) }
        session.console.flush()
        request.onBrowserOpened = { reminder.noteOpened($0) }
        return try await interruptible(client) { [request] client in try await client.acquireToken(request) }
    }

    private func signInElsewhere(
        _ client: PublicClient,
        scopes: [String],
        claims: ClaimsRequest?,
        in session: Session
    ) async throws -> AuthenticationResult {
        var request = DeviceCodeRequest(scopes: scopes)
        request.claims = claims
        (request.isolatedParameters, request.extraParameters) = (isolatedParameters, extraParameters)
        request.accountID = options.account.map { Account.ID($0) }
        let now = session.console.now
        session.console.flush()
        return try await interruptible(client) { [request] client in
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

    private func report(_ result: AuthenticationResult, _ session: Session) throws {
        let account = try result.account()
        guard session.usesJSON else {
            return session.console.remark(
                "\(account.map(\.shownName) ?? "The user") is signed in to app \(options.client)."
            )
        }
        let json = JSONWriter(session.console.output)
        json.document {
            json.member("group", session.groupName)
            json.member("client_id", options.client)
            json.member("username", account.map { $0.username ?? "" })
            json.account(account.flatMap { $0.hasHomeAccountID ? $0.id : nil })
            json.member("environment", result.accessToken.environment)
            json.member("tenant", result.accessToken.tenant)
            json.member("scopes", result.scopes)
            json.member("expires_on", result.expiresOn.secondsSince1970)
        }
    }
}
