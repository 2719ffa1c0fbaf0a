// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TokenAcquisition
import TokenCaching

/// A client of Entra with one account, against a scripted server.
struct Contoso {
    static let clientID = "6c051b1e-0000-0000-0000-00000000c11e"
    static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    static let objectID = "11111111-2222-3333-4444-555555555555"
    static let host = "https://login.microsoftonline.com"

    let server = ScriptedServer()
    let clock = TestClock()
    let slept = SleepLog()
    let cache: TokenCache
    let client: PublicClient

    init(_ change: (inout ClientConfiguration) -> Void = { _ in }) throws {
        var configuration = ClientConfiguration(clientID: Self.clientID)
        change(&configuration)
        cache = try TokenCache(
            group: "tests",
            clientID: Self.clientID,
            storage: .memory,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
        client = try PublicClient(configuration, cache: cache, services: Self.services(server, clock, slept))
        for tenant in ["common", "organizations", Self.tenant] { publish(tenant: tenant) }
    }

    static func services(_ server: ScriptedServer, _ clock: TestClock, _ slept: SleepLog) -> Services {
        Services(transport: server, clock: clock.wallClock) { duration in
            slept.note(duration)
            clock.advance(by: duration.components.seconds)
        }
    }

    /// Publishes the metadata of a tenant.
    func publish(tenant: String, _ changes: [String: Any] = [:]) {
        let name = tenant == "common" || tenant == "organizations" ? "{tenantid}" : tenant
        let base = "\(Self.host)/\(tenant)"
        let members: [String: Any] = [
            "issuer": "\(Self.host)/\(name)/v2.0",
            "authorization_endpoint": "\(base)/oauth2/v2.0/authorize",
            "token_endpoint": "\(base)/oauth2/v2.0/token",
            "device_authorization_endpoint": "\(base)/oauth2/v2.0/devicecode",
            "end_session_endpoint": "\(base)/oauth2/v2.0/logout",
        ]
        server.publish(json(members.merging(changes) { $1 }), at: "\(base)/v2.0/.well-known/openid-configuration")
    }

    var claims: [String: Any] {
        [
            "iss": "\(Self.host)/\(Self.tenant)/v2.0", "aud": Self.clientID, "sub": "subject", "tid": Self.tenant,
            "oid": Self.objectID, "preferred_username": "ada@contoso.example", "name": "Ada Lovelace",
            "iat": clock.now, "nbf": clock.now, "exp": clock.now + 3600,
        ]
    }

    /// A token response.
    func tokens(_ suffix: String, _ changes: [String: Any] = [:], claims: [String: Any] = [:]) -> String {
        let info = base64URL(json(["uid": Self.objectID, "utid": Self.tenant]))
        let members: [String: Any] = [
            "token_type": "Bearer", "scope": "User.Read openid profile", "expires_in": 3600,
            "access_token": "at-\(suffix)", "refresh_token": "rt-\(suffix)", "client_info": info,
            "id_token": idToken(self.claims.merging(claims) { $1 }),
        ]
        return json(members.merging(changes) { $1 })
    }

    /// Saves a sign-in.
    @discardableResult
    func signIn(_ suffix: String = "1", _ changes: [String: Any] = [:]) throws -> Account {
        let saved = try cache.save(
            TokenResponse(json: Array(tokens(suffix, changes).utf8)),
            for: TokenRequest(
                environment: "login.microsoftonline.com",
                tenant: "common",
                scopes: ["User.Read"],
                grant: .interactive
            )
        )
        return try #require(saved.account)
    }

    /// Makes a silent request, and returns the secret or the error.
    func silent(
        _ account: Account,
        scopes: [String] = ["User.Read"],
        _ change: (inout SilentRequest) -> Void = { _ in }
    ) async throws -> AuthenticationResult {
        var request = SilentRequest(scopes: scopes, account: account)
        change(&request)
        return try await client.acquireTokenSilent(request)
    }

    /// The error of a silent request that has to fail.
    func failure(
        _ account: Account,
        scopes: [String] = ["User.Read"],
        _ change: (inout SilentRequest) -> Void = { _ in }
    ) async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await silent(account, scopes: scopes, change) }
    }
}

/// How long the client waited.
final class SleepLog: Sendable {
    private let durations = Mutex<[Duration]>([])

    var all: [Duration] { durations.withLock { $0 } }

    func note(_ duration: Duration) {
        durations.withLock { $0.append(duration) }
    }
}
