// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenAcquisition
import TokenCaching
import ToolInterface

/// `cachetool token`
struct TokenCommand: NetworkCommand {
    static let configuration = SignInCommands.token

    @OptionGroup(title: "Token options") var options: TokenOptions
    @OptionGroup(title: "Showing the token") var reveal: RevealOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session, _ services: Services) async throws {
        let handover = try handover(session)
        let showsToken = try Reveal.isWanted(reveal, session)
        let credential = try options.credential.credential(beside: group.keys)
        if options.application {
            let result = try await applicationToken(credential, in: session, services)
            if let handover { try handover.handOver(result.accessToken) }
            return try report(result, of: nil, clientID: options.client ?? "", in: session, showsToken: showsToken)
        }
        var scopes = try options.scopes.map { try RequestWords.scopes($0, session) } ?? []
        let claims = try options.claims.map(ClaimsRequest.init(json:))
        let endpoints = options.endpoints
        var authority = try options.authority.map { try RequestWords.authority($0, endpoints) }
        var clientID = options.client ?? ""
        var subject: String?
        let result: AuthenticationResult
        func signInRequired(of account: String?, _ error: AcquisitionError? = nil) -> CommandFailure {
            let findings = [error?.reason?.description, error?.detail].compactMap(\.self)
            return options.signInRequired(
                because: findings.isEmpty ? nil : findings.joined(separator: "; "),
                authority,
                client: clientID,
                scopes: scopes,
                account: account,
                claims: error?.claimsToRequest
            )
        }
        do {
            let opened = try session.open(.readWrite)
            defer { opened.close() }
            let names = TypedNames(opened, session.console)
            let name = try options.account.map(names.account)
            var parameters = options.parameters.all
            if let address = options.resourceAddress {
                // Only the group matters to it.
                let any = try session.cache(of: opened, clientID: "cachetool")
                let hosts = endpoints.endpointHost
                guard let api = try await ProtectedResource.kept(at: address, in: any, endpointHosts: hosts) else {
                    throw CommandFailure(.notFound, "Nobody has signed in for this address.")
                }
                (clientID, scopes, authority) = (api.configuration.clientID, api.scopes, api.configuration.authority)
                parameters["resource"] = api.resource
            } else {
                clientID = try options.client.map { try names.client($0, of: name) } ?? opened.onlyClient(of: name)
            }
            let cache = try session.cache(of: opened, clientID: clientID)
            let account = try account(named: name, at: authority, in: cache)
            subject = account.id.homeAccountID
            if scopes.isEmpty { scopes = try opened.latestScopes(of: account, client: clientID) }
            if authority == nil { authority = try await RequestWords.authority(of: account, endpoints, in: cache) }
            // A server that never sent an id token does not say who signs in either.
            if let known = authority, known.kind == .openIDConnect, account.id.issuer == known.url,
                (try? await cache.idToken(for: account) == nil) == true
            {
                authority = try .oauth(issuer: known.url, endpointHosts: endpoints.endpointHost)
            }
            guard let authority else { return }
            var configuration = ClientConfiguration(clientID: clientID, authority: authority)
            // The program ends at once, so it cannot renew in the background.
            configuration.renewsInBackground = false
            configuration.credential = credential
            let client = try PublicClient(configuration, cache: cache, services: services)
            var request = SilentRequest(scopes: scopes, account: account)
            request.claims = claims
            request.isolatedParameters = parameters
            request.forceRefresh = options.forceRefresh
            result = try await interruptible(client) { [request] client in
                try await client.acquireTokenSilent(request)
            }
            if Interruption.isWanted {
                if result.source == .renewal { Interruption.noteCompletion("The token was renewed and saved.") }
                throw TokenCacheError(.cancelled)
            }
            if let handover { try handover.handOver(result.accessToken) }
            try report(result, of: account, clientID: clientID, in: session, showsToken: showsToken)
        } catch let error as AcquisitionError where error.code == .interactionRequired {
            throw signInRequired(of: subject, error)
        } catch let error as AcquisitionError where error.result != nil && error.code != .scopesDeclined {
            guard let result = error.result,
                let failure = session.failure(error, for: resourceWords(authority)) as? CommandFailure
            else { throw error }
            let time = HumanTime.full(result.expiresOn.secondsSince1970, now: session.console.now)
            throw CommandFailure(
                failure.status,
                failure.message,
                advice: "The token that is valid until \(time) was not replaced: without --force-refresh, it is used."
            )
        } catch let error as AcquisitionError {
            throw session.failure(error, for: resourceWords(authority))
        } catch let failure as CommandFailure where failure.status == .notFound {
            let name = options.account ?? (options.resourceAddress == nil ? "NAME" : nil)
            throw CommandFailure(.notFound, failure.problem, advice: signInRequired(of: name).message)
        }
    }

    private func resourceWords(_ authority: Authority?) -> [String] {
        guard let address = options.resourceAddress, let authority else { return [] }
        return ["--for", AdvisedCommands.shellWord(address), "--authority", AdvisedCommands.shellWord(authority.url)]
    }

    /// A token of the application itself. A group that is created for it stays, because others may wait in it.
    private func applicationToken(
        _ credential: ClientCredential?,
        in session: Session,
        _ services: Services
    ) async throws -> AuthenticationResult {
        let authority = try RequestWords.authority(options.authority ?? "", options.endpoints)
        var configuration = ClientConfiguration(clientID: options.client ?? "", authority: authority)
        configuration.credential = credential
        var request = ApplicationTokenRequest(scopes: try RequestWords.scopes(options.scopes ?? "", session))
        request.claims = try options.claims.map(ClaimsRequest.init(json:))
        request.forceRefresh = options.forceRefresh
        request.isolatedParameters = options.parameters.all
        let opened = try session.openedOrCreated()
        defer { opened.close() }
        do {
            let cache = try session.cache(of: opened, clientID: options.client ?? "")
            let client = try PublicClient(configuration, cache: cache, services: services)
            let result = try await interruptible(client) { [request] client in
                try await client.acquireApplicationToken(request)
            }
            if Interruption.isWanted { throw TokenCacheError(.cancelled) }
            return result
        } catch {
            if Interruption.isWanted, Interruption.completed == nil {
                Interruption.noteCompletion("No token was saved. Group \(session.groupName) stays.")
            }
            throw error
        }
    }

    /// The command that gets the token; nil if there is none.
    private func handover(_ session: Session) throws -> TokenHandover? {
        guard !options.command.isEmpty else { return nil }
        if reveal.reveal { throw CommandFailure(.usage, "--reveal cannot be combined with a command.") }
        let secrets = [group.keys.passphraseFd, options.credential.clientSecretFd].compactMap(\.self)
        return TokenHandover(to: options.command, asHeader: options.header, except: secrets)
    }

    /// The named account; without a name the only one that is signed in; at the authority if that is an issuer.
    private func account(named name: String?, at authority: Authority?, in cache: TokenCache) throws -> Account {
        func isThere(_ account: Account) -> Bool {
            guard let authority, [.openIDConnect, .oauth].contains(authority.kind) else { return true }
            return account.environment == authority.environment
                && (account.id.issuer ?? authority.url) == authority.url
        }
        if let name {
            return try cache.account(named: name, includesSignedOut: true, prefersSignedIn: true, where: isThere)
        }
        return try CacheGroup.onlyAccount(in: cache, where: isThere)
    }

    private func report(
        _ result: AuthenticationResult,
        of account: Account?,
        clientID: String,
        in session: Session,
        showsToken: Bool
    ) throws {
        let token = result.accessToken
        let console = session.console
        if session.usesJSON {
            let json = JSONWriter(console.output)
            try json.document {
                json.member("group", session.groupName)
                json.member("client_id", clientID)
                json.member("username", account?.username ?? "")
                json.account(account.flatMap { $0.hasHomeAccountID ? $0.id : nil })
                json.member("source", result.source.rawValue)
                json.member("environment", token.environment)
                json.member("tenant", token.tenant)
                json.member("scopes", result.scopes)
                json.member("token_type", token.tokenType)
                json.member("expires_on", result.expiresOn.secondsSince1970)
                if showsToken { try token.withSecret { (secret) throws in json.member("secret", secret: secret) } }
            }
        } else if showsToken {
            try token.withSecret { (secret) throws in SecretText.writeVisible(secret, to: console.output) }
            console.write(line: "")
        } else {
            let time = HumanTime.full(result.expiresOn.secondsSince1970, now: console.now)
            console.write(line: "The token is valid until \(time).")
        }
    }
}
