// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct InteractiveTests {
    let contoso: Contoso
    let client: PublicClient
    let browser = FakeBrowser()

    static let issuer = "\(Contoso.host)/\(Contoso.tenant)/v2.0"

    init() throws {
        contoso = try Contoso()
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        services.browser = browser
        services.redirectListener = browser
        services.sleep = { try await Task.sleep(for: $0) }
        client = try PublicClient(contoso.client.configuration, cache: contoso.cache, services: services)
        contoso.publish(tenant: "common", ["response_modes_supported": ["query", "form_post"]])
    }

    private func tokens(_ changes: [String: Any] = [:], claims: [String: any Sendable] = [:]) {
        contoso.answerSignIn(in: browser, changes, claims: claims)
    }

    private func signIn(_ change: (inout InteractiveRequest) -> Void = { _ in }) async throws -> AuthenticationResult {
        var request = InteractiveRequest(scopes: ["User.Read"])
        request.timeout = .seconds(20)
        change(&request)
        return try await client.acquireToken(request)
    }

    private func failure(_ change: (inout InteractiveRequest) -> Void = { _ in }) async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await signIn(change) }
    }

    /// The user signs in.
    private func succeed(_ mode: ResponseMode = .formPost) {
        browser.answer { query in [redirect(mode, ["code": "c-1", "state": query["state"] ?? ""])] }
    }

    @Test func `fields of the configuration are sent with the code, and are in no URL`() async throws {
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        (services.browser, services.redirectListener) = (browser, browser)
        var configuration = contoso.client.configuration
        configuration.extraParameters = ["client_secret": "of a desktop client"]
        let client = try PublicClient(configuration, cache: contoso.cache, services: services)
        succeed()
        tokens()
        _ = try await client.acquireToken(InteractiveRequest(scopes: ["User.Read"]))
        #expect(browser.query["client_secret"] == nil)
        #expect(contoso.server.posts.first?.form["client_secret"] == "of a desktop client")
    }

    @Test func `who grants only some scopes is signed in, and the error has the token for these`() async throws {
        succeed()
        tokens()
        let error = await failure { $0.scopes = ["User.Read", "Mail.Read"] }
        #expect(error?.code == .scopesDeclined && error?.declinedScopes == ["Mail.Read"])
        #expect(try error?.result?.accessToken.secretString == "at-1")
        #expect(try await client.currentAccount().current?.username == "ada@contoso.example")
    }

    @Test func `who grants no scope is signed in without a token`() async throws {
        succeed()
        tokens(["access_token": "", "scope": "openid profile"])
        let error = await failure()
        #expect(error?.code == .interactionRequired && error?.reason == .scopesNotGranted)
        #expect(try await client.currentAccount().current?.username == "ada@contoso.example")
    }

    @Test func `a sign-in after a silent request asks for the claims that its error names`() async throws {
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        contoso.server.answer(status: 400, json(["error": "interaction_required", "claims": claims]))
        let error = await contoso.failure(account)
        succeed()
        tokens()
        let request = InteractiveRequest(scopes: ["User.Read"], account: account, claims: error?.claimsToRequest)
        #expect(try await client.acquireToken(request).source == .interactive)
        #expect(browser.query["claims"] == claims)
    }

    @Test(
        arguments: [
            { (request: inout InteractiveRequest) in request.extraParameters = ["login_hint": "bob"] },
            { (request: inout InteractiveRequest) in request.domainHint = "fabrikam.example" },
            { (request: inout InteractiveRequest) in request.loginHint = "bob@contoso.example" },
            { (request: inout InteractiveRequest) in request.maximumAge = .seconds(60) },
            { (request: inout InteractiveRequest) in request.prompt = .login },
        ] as [@Sendable (inout InteractiveRequest) -> Void]
    )
    func `another request's sign-in does for none that says more about the user`(
        _ change: @Sendable (inout InteractiveRequest) -> Void
    ) throws {
        let account = try contoso.signIn()
        var request = InteractiveRequest(scopes: ["User.Read"])
        #expect(request.accepts(account, named: nil))
        change(&request)
        #expect(!request.accepts(account, named: nil))
    }

    @Test(arguments: [(#"{"error":"invalid_grant"}"#, AcquisitionError.Code.serverRefused), ("", .serverRefused)])
    func `a code that the server refuses is no reason to ask the user to sign in`(
        _ body: String,
        _ code: AcquisitionError.Code
    ) async throws {
        succeed()
        contoso.server.answer(status: 400, body)
        let error = await failure()
        #expect(error?.code == code && error?.reason == nil && error?.errorResponse?.status == 400)
        #expect(error?.description.contains("the server did not accept the code of this sign-in") == true)
    }

    @Test func `openid is asked for though the server does not list it`() async throws {
        contoso.publish(tenant: "common", ["scopes_supported": ["mail"]])
        let authority = try Authority.openIDConnect(issuer: "https://id.example/a")
        contoso.server.publish(
            json([
                "issuer": "https://id.example/a", "token_endpoint": "https://id.example/a/token",
                "authorization_endpoint": "https://id.example/a/authorize", "scopes_supported": ["mail"],
            ]),
            at: "https://id.example/a/.well-known/openid-configuration"
        )
        browser.answer { query in
            [redirect(.query, ["error": "access_denied", "state": query["state"] ?? ""])]
        }
        _ = await failure { $0.authority = authority }
        #expect(browser.query["scope"] == "User.Read openid")
    }

    @Test func `the wait for the response begins before the browser opens`() async throws {
        browser.openWhenAwaited()
        succeed()
        tokens()
        #expect(try await signIn { _ in }.source == .interactive)
    }

    @Test func `a page that was closed is opened again, for the same sign-in`() async throws {
        browser.hold()
        succeed()
        tokens()
        let result = try await signIn { [browser] request in
            request.onBrowserOpened = { window in
                Task {
                    try await window.reopen()
                    // With another state its response would be foreign.
                    browser.proceed()
                }
            }
        }
        #expect(result.source == .interactive && browser.opened.count == 2 && browser.verdicts == [.completed])
    }

    @Test func `the user signs in, and the next request is silent`() async throws {
        succeed()
        tokens()
        let result = try await signIn { request in
            request.extraScopesToConsent = ["Mail.Read"]
            request.prompt = .selectAccount
            request.loginHint = "ada@contoso.example"
            request.domainHint = "contoso.example"
            request.claims = try? ClaimsRequest(json: #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
            request.extraParameters = ["flight": "a&b", "state": "mine"]
        }
        #expect(result.source == .interactive)
        #expect(try result.accessToken.secretString == "at-1")
        #expect(browser.opened == ["http://localhost:49152/start"])
        #expect(browser.verdicts == [.completed])
        #expect(browser.closed == 1)

        let query = browser.query
        #expect(browser.authorizationURL.hasPrefix("\(Contoso.host)/common/oauth2/v2.0/authorize?client_id="))
        #expect(query["scope"] == "User.Read Mail.Read openid profile offline_access")
        #expect(query["response_type"] == "code")
        #expect(query["response_mode"] == "form_post")
        #expect(query["redirect_uri"] == "http://localhost:49152")
        #expect(query["prompt"] == "select_account")
        #expect(query["login_hint"] == "ada@contoso.example")
        #expect(query["domain_hint"] == "contoso.example")
        #expect(query["claims"]?.contains(#""acrs":{"essential":true,"value":"c1"}"#) == true)
        #expect(query["flight"] == "a&b")
        #expect(query["code_challenge_method"] == "S256")
        #expect(query["state"]?.count == 43)
        #expect(query["nonce"]?.count == 43)

        let form = try #require(contoso.server.posts.first?.form)
        let verifier = try #require(form["code_verifier"])
        #expect(verifier.count == 43)
        #expect(query["code_challenge"] == AuthorizationRequest.challenge(for: verifier))
        #expect(form["code"] == "c-1")
        #expect(form["grant_type"] == "authorization_code")
        #expect(form["redirect_uri"] == "http://localhost:49152")
        #expect(form["scope"] == "User.Read openid profile offline_access")
        let account = try #require(try await client.currentAccount().current)
        #expect(try await contoso.silent(account).source == .cache)
    }

    @Test func `the challenge is the one of the standard's example`() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(AuthorizationRequest.challenge(for: verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `no two requests have the same secrets`() async throws {
        var seen: Set<String> = []
        for _ in 0..<2 {
            succeed()
            tokens()
            _ = try await signIn()
            for name in ["state", "nonce", "code_challenge"] { seen.insert(browser.query[name] ?? "") }
        }
        #expect(seen.count == 6)
    }

    @Test func `foreign responses do not end the wait`() async throws {
        browser.answer { query in
            let state = query["state"] ?? ""
            return [
                redirect(.formPost, ["code": "c-0", "state": "x"]),
                redirect(.formPost, ["code": "c-0"]),
                redirect(.formPost, ["error": "access_denied", "state": state + "x"]),
                RedirectResponse(mode: .formPost, parameters: Array("state=\(state)&code=c-0&code=c-2".utf8)),
                RedirectResponse(mode: .formPost, parameters: Array("state=\(state)&state=\(state)&code=c-0".utf8)),
                RedirectResponse(mode: .formPost, parameters: Array("state=\(state)&code=%F".utf8)),
                RedirectResponse(mode: .formPost, parameters: Array("state=\(state)&code=%FF".utf8)),
                RedirectResponse(mode: .query, parameters: []),
                RedirectResponse(
                    mode: .formPost,
                    parameters: Array("state=\(state)&code=".utf8) + Array(repeating: 0x61, count: 1 << 20)
                ),
                redirect(.formPost, ["code": "c-1", "state": state]),
                redirect(.formPost, ["code": "c-3", "state": state]),
            ]
        }
        tokens()
        _ = try await signIn()
        #expect(browser.verdicts == Array(repeating: .foreign, count: 9) + [.completed])
        #expect(contoso.server.posts.map { $0.form["code"] } == ["c-1"])
    }

    static let refusals: [(String, ResponseMode, [String: String], AcquisitionError.Code)] = [
        ("code by query", .query, ["code": "c"], .responseRejected),
        ("no code", .formPost, [:], .responseRejected),
        ("empty code", .formPost, ["code": ""], .responseRejected),
        ("issuer of another server", .formPost, ["code": "c", "iss": "https://evil.example"], .issuerRejected),
        ("issuer without a tenant", .formPost, ["code": "c", "iss": "\(Contoso.host)//v2.0"], .issuerRejected),
        ("declined", .formPost, ["error": "access_denied"], .declinedByUser),
        ("declined, by query", .query, ["error": "access_denied"], .declinedByUser),
        ("unavailable", .formPost, ["error": "temporarily_unavailable"], .serverUnavailable),
        ("unsupported", .formPost, ["error": "unsupported_response_type"], .grantNotSupported),
        ("control characters", .formPost, ["error": "\u{1B}[2J"], .serverRefused),
    ]

    @Test(arguments: refusals.indices) func `a response that ends it lands in its code`(_ index: Int) async {
        let (_, mode, parameters, code) = Self.refusals[index]
        browser.answer { query in
            [redirect(mode, parameters.merging(["state": query["state"] ?? "", "error_description": "Ada"]) { $1 })]
        }
        let error = await failure()
        #expect(error?.code == code)
        #expect(error.map { "\($0)".contains("Ada") } == false)
        #expect(browser.verdicts == [.failed])
        #expect(browser.closed == 1)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `an issuer that is announced has to be named`() async throws {
        contoso.publish(tenant: "common", ["authorization_response_iss_parameter_supported": true])
        succeed(.query)
        #expect(await failure()?.code == .issuerRejected)
        browser.answer { [redirect(.query, ["code": "c", "state": $0["state"] ?? "", "iss": Self.issuer])] }
        tokens()
        _ = try await signIn()
    }

    @Test func `a server that does not list forms gets a query, unless the request wants a form`() async throws {
        contoso.publish(tenant: "common")
        succeed(.query)
        tokens()
        _ = try await signIn()
        #expect(browser.query["response_mode"] == "query")
        succeed()
        tokens()
        _ = try await signIn { $0.responseMode = .formPost }
        #expect(browser.query["response_mode"] == "form_post")
    }

    private static let unsupported: [[String: any Sendable]] = [
        ["code_challenge_methods_supported": ["plain"]], ["authorization_endpoint": NSNull()],
        ["require_pushed_authorization_requests": true],
    ]

    @Test(arguments: unsupported.indices)
    func `a server without S256 or an authorization endpoint, or with pushed requests only, is refused`(
        _ index: Int
    ) async {
        contoso.publish(tenant: "common", Self.unsupported[index])
        #expect(await failure()?.code == .grantNotSupported)
        #expect(browser.opened.isEmpty && browser.closed == 1)
    }

    @Test func `an id token of another request, or none, is refused, and nothing is saved`() async throws {
        for changes in [["id_token": "missing"], ["id_token": ""]] {
            succeed()
            tokens(changes)
            #expect(await failure()?.code == .idTokenRejected)
        }
        succeed()
        tokens(claims: ["nonce": "another"])
        #expect(await failure()?.code == .idTokenRejected)
        #expect(try await client.accounts().isEmpty)
    }

    @Test func `another account than the requested one is reported, and not saved`() async throws {
        let account = try contoso.signIn()
        let other = base64URL(json(["uid": "other", "utid": Contoso.tenant]))
        succeed()
        tokens(["client_info": other])
        #expect(await failure { $0.account = account }?.code == .accountMismatch)
        #expect(browser.query["login_hint"] == "ada@contoso.example")
        #expect(try await client.accounts().map(\.id) == [account.id])
        succeed()
        tokens()
        #expect(try await signIn { $0.account = account }.source == .interactive)
    }

    @Test func `a hint has to be a name of the user, if the id token contains names`() async throws {
        func signIn(as hint: String, _ claims: [String: any Sendable]) async -> AcquisitionError.Code? {
            succeed()
            tokens(claims: claims)
            do {
                _ = try await self.signIn { $0.loginHint = hint }
                return nil
            } catch { return (error as? AcquisitionError)?.code }
        }
        #expect(await signIn(as: "ADA@contoso.example", [:]) == nil)
        #expect(await signIn(as: "ada@home.example", ["email": "ada@home.example"]) == nil)
        #expect(await signIn(as: "", [:]) == nil)
        #expect(browser.query["login_hint"] == nil)
        #expect(await signIn(as: "bob@contoso.example", [:]) == .accountMismatch)
        #expect(await signIn(as: "bob@contoso.example", ["preferred_username": ""]) == nil)
    }

    @Test func `resetting the password is an error of its own, for Azure AD B2C only`() async throws {
        browser.answer { query in
            let description = "AADB2C90118: The user has forgotten their password."
            return [
                redirect(
                    .query,
                    ["error": "access_denied", "error_description": description, "state": query["state"] ?? ""]
                )
            ]
        }
        let base = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin"
        let authority = try Authority(base)
        contoso.server.publish(
            json([
                "issuer": "https://contoso.b2clogin.com/\(Contoso.tenant)/v2.0/",
                "authorization_endpoint": "\(base)/oauth2/v2.0/authorize",
                "token_endpoint": "\(base)/oauth2/v2.0/token",
            ]),
            at: "\(base)/v2.0/.well-known/openid-configuration"
        )
        #expect(await failure { $0.authority = authority }?.code == .passwordResetRequired)
        #expect(await failure()?.code == .declinedByUser)
    }

    @Test func `a sign-in that is too long ago is refused`() async throws {
        for (time, isGood) in [(-3899, true), (-3901, false)] {
            succeed()
            tokens(claims: ["auth_time": contoso.clock.now + Int64(time)])
            let error: AcquisitionError?
            do {
                _ = try await signIn { $0.maximumAge = .seconds(3600) }
                error = nil
            } catch let failure as AcquisitionError {
                error = failure
            }
            #expect(error?.code == (isGood ? nil : .idTokenRejected))
            #expect(browser.query["max_age"] == "3600")
        }
        succeed()
        tokens()
        #expect(await failure { $0.maximumAge = .seconds(3600) }?.code == .idTokenRejected)
    }

    @Test func `a browser that never returns ends with the time, and a cancelled task at once`() async throws {
        #expect(await failure { $0.timeout = .milliseconds(200) }?.code == .timeout)
        // On a busy machine the time may be over before the browser is opened.
        let opened = browser.opened.count
        let task = Task { await failure() }
        while browser.opened.count == opened { try await Task.sleep(for: .milliseconds(2)) }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(browser.closed == browser.opened.count)
    }

    @Test func `without a browser or a listener the error names the way out`() async {
        #expect(
            await #expect(throws: AcquisitionError.self) {
                try await contoso.client.acquireToken(InteractiveRequest(scopes: ["User.Read"]))
            }?.code == .browserMissing
        )
        browser.fail(AcquisitionError(.browserMissing))
        let error = await failure()
        #expect(error.map { "\($0)" } == "There is no browser. Sign in with a device code.")
        #expect(browser.closed == 1)
    }

    @Test(arguments: [InteractiveRequest(scopes: []), InteractiveRequest(scopes: [""])])
    func `a request without a scope is refused`(_ request: InteractiveRequest) async {
        let error = await #expect(throws: AcquisitionError.self) { try await client.acquireToken(request) }
        #expect(error?.code == .requestRejected)
        #expect(browser.opened.isEmpty)
    }
}
