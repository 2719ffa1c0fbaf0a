// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching

/// A client of an OpenID provider that is not Microsoft's, against a scripted server.
struct Fabrikam {
    static let clientID = "client"
    static let issuer = "https://id.fabrikam.example/realm"

    let server = ScriptedServer()
    let clock = TestClock()
    let cache: TokenCache
    let client: PublicClient

    init(
        _ metadata: [String: Any] = [:],
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws {
        cache = try TokenCache(
            group: "tests",
            clientID: Self.clientID,
            storage: .memory,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
        var configuration = ClientConfiguration(
            clientID: Self.clientID,
            authority: try .openIDConnect(issuer: Self.issuer)
        )
        change(&configuration)
        client = try PublicClient(
            configuration,
            cache: cache,
            services: Contoso.services(server, clock, SleepLog())
        )
        let members: [String: Any] = [
            "issuer": Self.issuer, "token_endpoint": "\(Self.issuer)/token",
            "device_authorization_endpoint": "\(Self.issuer)/device",
            "revocation_endpoint": "\(Self.issuer)/revoke",
        ]
        server.publish(
            json(members.merging(metadata) { $1 }),
            at: "\(Self.issuer)/.well-known/openid-configuration"
        )
    }

    /// A token response; nil removes a member.
    func tokens(
        _ suffix: String,
        _ changes: [String: (any Sendable)?] = [:],
        claims: [String: (any Sendable)?] = [:]
    ) -> String {
        var payload: [String: Any] = [
            "iss": Self.issuer, "aud": Self.clientID, "sub": "ada", "iat": clock.now, "exp": clock.now + 3600,
        ]
        for (name, value) in claims { payload[name] = value }
        var members: [String: Any] = [
            "token_type": "Bearer", "expires_in": 3600, "access_token": "at-\(suffix)",
            "refresh_token": "rt-\(suffix)", "id_token": idToken(payload),
        ]
        for (name, value) in changes { members[name] = value }
        return json(members)
    }

    /// Signs in with a device code, to which the server answers with these tokens.
    func signIn(
        scopes: [String] = ["mail"],
        _ response: String,
        _ change: (inout DeviceCodeRequest) -> Void = { _ in }
    ) async throws -> AuthenticationResult {
        let code: [String: Any] = [
            "device_code": "dc", "user_code": "ABCD", "verification_uri": "https://id.fabrikam.example/d",
            "expires_in": 900,
        ]
        server.answer(json(code))
        server.answer(response)
        var request = DeviceCodeRequest(scopes: scopes)
        change(&request)
        return try await client.acquireToken(request) { _ in }
    }

    /// The account of a sign-in for which the server granted these scopes; nil if it does not name them.
    func account(scopes: [String] = ["mail"], granted: String?) async throws -> Account {
        let result: AuthenticationResult
        do {
            result = try await signIn(scopes: scopes, tokens("1", ["scope": granted]))
        } catch let error as AcquisitionError where error.code == .scopesDeclined {
            guard let partial = error.result else { throw error }
            result = partial
        }
        guard let account = try await result.account() else { throw AcquisitionError(.accountMismatch) }
        return account
    }

    func silent(
        _ account: Account,
        scopes: [String] = ["mail"],
        _ change: (inout SilentRequest) -> Void = { _ in }
    ) async throws -> AuthenticationResult {
        var request = SilentRequest(scopes: scopes, account: account)
        change(&request)
        return try await client.acquireTokenSilent(request)
    }
}
