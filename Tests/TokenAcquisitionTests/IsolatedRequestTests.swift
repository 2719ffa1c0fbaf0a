// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// What a token is for besides its scopes: the resource, the audience, and a server's own parameters.
@Suite struct IsolatedRequestTests {
    static let parameters: [[String: String]] = [
        ["resource": "https://api.example/a"], ["resource": "https://api.example/b"],
        ["audience": "https://api.example/a"], ["audience": "b"],
        ["resource": "https://api.example/a", "audience": "b"], ["tenancy": "b"], ["tenancy": "B"],
    ]

    @Test func `requests with the same scopes never get each other's token, nor the plain one`() async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: "mail openid")
        let all = [[:]] + Self.parameters
        for (index, parameters) in all.enumerated().dropFirst() {
            fabrikam.server.answer(fabrikam.tokens("of-\(index)"))
            let result = try await fabrikam.silent(account) { $0.isolatedParameters = parameters }
            #expect(result.source == .renewal)
            let form = try #require(fabrikam.server.posts.last?.form)
            #expect(form.filter { ["resource", "audience", "tenancy"].contains($0.key) } == parameters)
        }
        let count = fabrikam.server.posts.count
        for (index, parameters) in all.enumerated().reversed() {
            let result = try await fabrikam.silent(account) { $0.isolatedParameters = parameters }
            #expect(try result.accessToken.secretString == (index == 0 ? "at-1" : "at-of-\(index)"))
            let query = TokenQuery(
                account: account,
                scopes: ["mail"],
                tenant: "realm",
                options: TokenQueryOptions(
                    extendedCacheKey: try ExtendedCacheKey(requestParameters: parameters)
                )
            )
            guard case .valid(let token) = try await fabrikam.cache.token(for: query) else {
                Issue.record("no token for \(parameters)")
                continue
            }
            #expect(try token.secretString == result.accessToken.secretString)
        }
        #expect(fabrikam.server.posts.count == count)
    }

    @Test func `the properties are the parameters of these names`() throws {
        var request = DeviceCodeRequest(scopes: ["mail"])
        request.resource = "https://api.example/"
        request.audience = "mail"
        #expect(request.isolatedParameters == ["resource": "https://api.example/", "audience": "mail"])
        request.resource = nil
        #expect(request.isolatedParameters == ["audience": "mail"])
    }

    @Test func `a token that the application got for itself is for one resource`() async throws {
        let fabrikam = try Fabrikam()
        func token(_ resource: String?, answer: String?) async throws -> String? {
            let query = TokenQuery(
                applicationScopes: ["mail"],
                tenant: "realm",
                environment: "id.fabrikam.example",
                options: TokenQueryOptions(
                    extendedCacheKey: try ExtendedCacheKey(requestParameters: resource.map { ["resource": $0] } ?? [:])
                )
            )
            let result = try await fabrikam.cache.acquireApplicationToken(query, timeout: .seconds(20)) {
                let body = #"{"access_token":"\#(answer ?? "unwanted")","token_type":"Bearer","expires_in":3600}"#
                return try .httpResponse(status: 200, body: Array(body.utf8))
            }
            guard case .valid(let token) = result else { return nil }
            return try token.secretString
        }
        for (resource, answer) in [("https://a.example/", "a"), ("https://b.example/", "b"), (nil, "plain")] {
            #expect(try await token(resource, answer: answer) == answer)
        }
        #expect(try await token("https://a.example/", answer: nil) == "a")
        #expect(try await token(nil, answer: nil) == "plain")
    }

    @Test func `a sign-in with the browser asks for the resource with the page and with the code`() async throws {
        let contoso = try Contoso()
        let browser = FakeBrowser()
        let client = try contoso.client(browser)
        browser.answer { query in [redirect(.query, ["code": "c-1", "state": query["state"] ?? ""])] }
        contoso.answerSignIn(in: browser)
        var request = InteractiveRequest(scopes: ["User.Read"])
        request.resource = "https://api.example/a"
        request.isolatedParameters["tenancy"] = "b"
        let account = try #require(try await client.acquireToken(request).account())
        #expect(browser.query["resource"] == "https://api.example/a" && browser.query["tenancy"] == "b")
        #expect(contoso.server.posts.first?.form["resource"] == "https://api.example/a")
        let silent = try await contoso.silent(account) { $0.isolatedParameters = request.isolatedParameters }
        #expect(try silent.source == .cache && silent.accessToken.secretString == "at-1")
        contoso.server.answer(contoso.tokens("plain"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-plain")
    }

    @Test func `a sign-in with a code asks for the audience twice, and its token is for that`() async throws {
        let fabrikam = try Fabrikam()
        let code = ["device_code": "dc", "user_code": "ABCD", "verification_uri": "https://id.fabrikam.example/d"]
        fabrikam.server.answer(json(code))
        fabrikam.server.answer(fabrikam.tokens("1"))
        var request = DeviceCodeRequest(scopes: ["mail"])
        request.audience = "mail"
        let account = try #require(try await fabrikam.client.acquireToken(request) { _ in }.account())
        #expect(fabrikam.server.posts.map { $0.form["audience"] } == ["mail", "mail"])
        #expect(try await fabrikam.silent(account) { $0.audience = "mail" }.source == .cache)
    }

    @Test func `the refresh token of a sign-in for a resource renews that alone, and all are revoked`() async throws {
        let fabrikam = try Fabrikam()
        var account: Account?
        let resources = [nil, "https://a.example/", "https://b.example/"]
        for (index, resource) in resources.enumerated() {
            account = try await fabrikam.signIn(fabrikam.tokens("\(index)")) { $0.resource = resource }.account()
        }
        let user = try #require(account)
        // The plain one serves what has none of its own.
        let renewals = [
            (nil, "0"), ("https://a.example/", "1"), ("https://b.example/", "2"), ("https://c.example/", "+0"),
        ]
        for (resource, spent) in renewals {
            fabrikam.server.answer(fabrikam.tokens("+" + spent))
            let result = try await fabrikam.silent(user) { ($0.resource, $0.forceRefresh) = (resource, true) }
            #expect(try result.accessToken.secretString == "at-+" + spent)
            #expect(fabrikam.server.posts.last?.form["refresh_token"] == "rt-" + spent)
        }
        var signOut = SignOutRequest()
        signOut.revokesTokens = true
        for _ in 0..<3 { fabrikam.server.answer("") }
        #expect(try await fabrikam.client.signOut(user, with: signOut).revocation == .done)
        let revoked = fabrikam.server.posts.suffix(3).compactMap { $0.form["token"] }
        #expect(Set(revoked) == ["rt-++0", "rt-+1", "rt-+2"])
    }

    @Test func `a refresh token of a sign-in for one resource gets no token of another`() async throws {
        let fabrikam = try Fabrikam()
        let signedIn = try await fabrikam.signIn(fabrikam.tokens("1")) { $0.resource = "https://a.example/" }
        let account = try #require(try await signedIn.account())
        for resource in [nil, "https://b.example/"] {
            let error = await #expect(throws: AcquisitionError.self) {
                try await fabrikam.silent(account) { $0.resource = resource }
            }
            #expect(error?.code == .interactionRequired)
        }
        #expect(fabrikam.server.posts.count == 2)
    }

    @Test func `a server that refuses a renewal for a resource requires a sign-in for it, and the earlier one stays`()
        async throws
    {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: "mail openid")
        fabrikam.server.answer(status: 400, json(["error": "invalid_target"]))
        let error = await #expect(throws: AcquisitionError.self) {
            try await fabrikam.silent(account) { $0.resource = "https://unknown.example/" }
        }
        #expect(error?.code == .interactionRequired && error?.errorResponse?.error == "invalid_target")
        fabrikam.server.answer(fabrikam.tokens("2"))
        let known = try await fabrikam.silent(account) { $0.resource = "https://known.example/" }
        #expect(try known.accessToken.secretString == "at-2")
    }

    @Test func `a renewal in the background that fails for one resource does not keep another one's from it`()
        async throws
    {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        let resources = ["https://a.example/", "https://b.example/"]
        for resource in resources {
            contoso.server.answer(contoso.tokens(resource, ["refresh_in": 1000]))
            _ = try await contoso.silent(account) { $0.resource = resource }
        }
        contoso.clock.advance(by: 1500)
        for (resource, posts) in zip(resources, [3, 4]) {
            contoso.server.answer(failure: TransportError(.connectionClosed, mayHaveBeenSent: true))
            #expect(try await contoso.silent(account) { $0.resource = resource }.source == .cache)
            await contoso.client.background.settle()
            #expect(contoso.server.posts.count == posts && contoso.server.posts.last?.form["resource"] == resource)
        }
    }

    @Test func `a broker, which knows no resources, is not asked for one`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        let broker = BrokerTests.FakeBroker { _ throws(AcquisitionError) in nil }
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        services.broker = broker
        let client = try PublicClient(contoso.client.configuration, cache: contoso.cache, services: services)
        contoso.server.answer(contoso.tokens("2"))
        var request = SilentRequest(scopes: ["User.Read"], account: account)
        request.resource = "https://a.example/"
        #expect(try await client.acquireTokenSilent(request).accessToken.secretString == "at-2")
        #expect(broker.seen.isEmpty)
    }

    @Test func `another request's sign-in does for a resource, and not for a parameter of unknown effect`() throws {
        let account = try Contoso().signIn()
        var request = InteractiveRequest(scopes: ["User.Read"])
        request.resource = "https://a.example/"
        #expect(request.accepts(account, named: nil))
        request.isolatedParameters["tenancy"] = "b"
        #expect(!request.accepts(account, named: nil))
    }

    /// The names of all parameters that clients send to servers of both kinds.
    private func sentNames() async throws -> Set<String> {
        let (contoso, fabrikam) = (try Contoso { $0.clientCapabilities = ["cp1"] }, try Fabrikam())
        let browser = FakeBrowser()
        let client = try contoso.client(browser)
        browser.answer { query in [redirect(.query, ["code": "c-1", "state": query["state"] ?? ""])] }
        contoso.answerSignIn(in: browser, claims: ["auth_time": contoso.clock.now])
        var request = InteractiveRequest(scopes: ["User.Read"])
        (request.loginHint, request.domainHint) = ("ada@contoso.example", "contoso.example")
        (request.maximumAge, request.prompt) = (.seconds(600), .login)
        let account = try #require(try await client.acquireToken(request).account())
        contoso.server.answer(contoso.tokens("2"))
        _ = try await contoso.silent(account) { $0.forceRefresh = true }
        _ = try await fabrikam.signIn(fabrikam.tokens("1"))
        return (contoso.server.posts + fabrikam.server.posts).reduce(into: Set(browser.query.keys)) {
            $0.formUnion($1.form.keys)
        }
    }

    @Test func `no parameter of a request's own is replaced by an isolating one`() async throws {
        let names = try await sentNames()
        #expect(names.count > 20)
        for name in names {
            #expect(throws: TokenCacheError.self, "\(name)") { try ExtendedCacheKey(requestParameters: [name: "x"]) }
        }
    }

    @Test func `parameters that cannot isolate are refused before anything is sent`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        let browser = FakeBrowser()
        let client = try contoso.client(browser)
        var interactive = InteractiveRequest(scopes: ["User.Read"])
        interactive.audience = "a\nb"
        var device = DeviceCodeRequest(scopes: ["User.Read"])
        device.resource = "not a URI"
        let (asked, shown) = (interactive, device)
        let errors = [
            await contoso.failure(account) { $0.isolatedParameters = ["client_secret": "canary"] },
            await #expect(throws: AcquisitionError.self) { try await client.acquireToken(asked) },
            await #expect(throws: AcquisitionError.self) { try await client.acquireToken(shown) { _ in } },
        ]
        #expect(errors.allSatisfy { $0?.code == .requestRejected && $0?.detail != nil })
        #expect(!errors.contains { $0.map { "\($0)".contains("canary") } ?? false })
        #expect(contoso.server.posts.isEmpty && contoso.server.gets.isEmpty && browser.opened.isEmpty)
    }
}
