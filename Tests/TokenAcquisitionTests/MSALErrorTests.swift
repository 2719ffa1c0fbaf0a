// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// The table of MSAL's errors in `ServerErrors.md`: what causes an error there causes exactly the codes of its row here.
@Suite struct MSALErrorTests {
    /// What happens, for the errors that MSAL reports then.
    struct Scenario: Sendable {
        let names: [String]
        let failure: @Sendable (Contoso) async throws -> AcquisitionError?

        init(_ names: String..., failure: @escaping @Sendable (Contoso) async throws -> AcquisitionError?) {
            self.names = names
            self.failure = failure
        }

        /// A renewal that the server refuses.
        static func refusal(_ names: String, _ status: Int, _ members: [String: any Sendable]) -> Scenario {
            renewal(names) { $0.server.answer(status: status, json(members)) }
        }

        /// A renewal that a server answers as it is told.
        static func renewal(
            _ name: String,
            scopes: [String] = ["User.Read"],
            _ prepare: @escaping @Sendable (Contoso) throws -> Void
        ) -> Scenario {
            Scenario(name) { contoso in
                let account = try contoso.signIn()
                contoso.clock.advance(by: 4000)
                try prepare(contoso)
                return await contoso.failure(account, scopes: scopes)
            }
        }

        /// A device code, to which the server answers so.
        static func deviceCode(_ name: String, _ error: String, isShown: Bool = true) -> Scenario {
            Scenario(name) { contoso in
                contoso.server.answer(
                    json([
                        "device_code": "dc", "user_code": "A", "verification_uri": "https://a.example",
                        "expires_in": 60,
                    ])
                )
                contoso.server.answer(status: 400, json(["error": error]))
                return await #expect(throws: AcquisitionError.self) {
                    try await contoso.client.acquireToken(DeviceCodeRequest(scopes: ["User.Read"])) { _ in
                        if !isShown { throw CancellationError() }
                    }
                }
            }
        }

        /// Metadata that is not acceptable.
        static func metadata(_ name: String, _ changes: [String: any Sendable]) -> Scenario {
            renewal(name) { $0.publish(tenant: Contoso.tenant, changes) }
        }
    }

    static let scenarios: [Scenario] = [
        .refusal("MSALErrorInteractionRequired", 400, ["error": "interaction_required"]),
        .renewal("MSALErrorServerDeclinedScopes", scopes: ["User.Read", "Mail.Read"]) {
            $0.server.answer($0.tokens("2", ["scope": "User.Read"]))
        },
        .refusal(
            "MSALErrorServerProtectionPoliciesRequired",
            400,
            ["error": "unauthorized_client", "suberror": "protection_policy_required"]
        ),
        .refusal("MSALErrorWorkplaceJoinRequired", 400, ["error": "interaction_required", "error_codes": [50097]]),
        .deviceCode("MSALErrorUserCanceled", "authorization_declined"),
        .deviceCode("MSALErrorUserCanceled", "", isShown: false),
        .refusal("MSALErrorServerError", 500, ["error": "server_error"]),
        .renewal("MSALInternalErrorInvalidParameter", scopes: []) { _ in },
        Scenario("MSALInternalErrorInvalidParameter") { _ in
            #expect(throws: AcquisitionError.self) { try Authority("http://login.microsoftonline.com/common") }
        },
        .refusal("MSALInternalErrorInvalidRequest", 400, ["error": "invalid_request"]),
        .refusal("MSALInternalErrorInvalidClient", 401, ["error": "invalid_client"]),
        .refusal("MSALInternalErrorInvalidScope", 400, ["error": "invalid_scope"]),
        .refusal("MSALInternalErrorInvalidGrant", 400, ["error": "invalid_grant"]),
        .deviceCode("MSALInternalErrorInvalidGrant", "expired_token"),
        .refusal("MSALInternalErrorUnauthorizedClient", 400, ["error": "unauthorized_client"]),
        .refusal("MSALInternalErrorUnhandledResponse", 503, [:]),
        .refusal("MSALInternalErrorUnhandledResponse", 429, [:]),
        .renewal("MSALInternalErrorInvalidResponse") { $0.server.answer("<html>") },
        .renewal("MSALInternalErrorNonHttpsRedirect") {
            $0.server.answer(status: 302, "", headers: ["Location": "http://login.microsoftonline.com/"])
        },
        .metadata("MSALInternalErrorFailedAuthorityValidation", ["issuer": "https://evil.example/v2.0"]),
        .metadata("MSALInternalErrorFailedAuthorityValidation", ["token_endpoint": "https://evil.example/token"]),
        .renewal("MSALInternalErrorMismatchedUser") {
            let other = base64URL(json(["uid": "someone-else", "utid": Contoso.tenant]))
            $0.server.answer($0.tokens("2", ["client_info": other]))
        },
        Scenario("MSALInternalErrorAmbiguousAccount") { contoso in
            for id in ["one", "another"] {
                try contoso.signIn("1", ["client_info": base64URL(json(["uid": id, "utid": Contoso.tenant]))])
            }
            return await #expect(throws: AcquisitionError.self) { try await contoso.client.currentAccount() }
        },
        Scenario("MSALInternalErrorAuthorizationFailed") { contoso in
            let browser = FakeBrowser()
            var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
            services.browser = browser
            services.redirectListener = browser
            browser.answer { [redirect(.query, ["state": $0["state"] ?? "", "error": "invalid_request"])] }
            let client = try PublicClient(contoso.client.configuration, cache: contoso.cache, services: services)
            return await #expect(throws: AcquisitionError.self) {
                try await client.acquireToken(InteractiveRequest(scopes: ["User.Read"]))
            }
        },
        .renewal("MSALInternalErrorAuthorizationFailed") {
            $0.server.answer($0.tokens("2", claims: ["aud": "another-application"]))
        },
        Scenario("MSALInternalErrorSessionCanceled") { contoso in
            let account = try contoso.signIn()
            contoso.clock.advance(by: 4000)
            let (sent, gate) = (Gate(), Gate())
            contoso.server.answer { _ throws(TransportError) in
                sent.open()
                await gate.wait()
                return TransportResponse(status: 503)
            }
            let caller = Task { await contoso.failure(account) }
            await sent.wait()
            caller.cancel()
            defer { gate.open() }
            return await caller.value
        },
        .renewal("MSALInternalErrorUnexpected") { $0.cache.close() },
        .renewal("NSOSStatusErrorDomain") { $0.cache.close() },
        .renewal("NSURLErrorDomain") {
            $0.server.answer(failure: TransportError(.timeout, mayHaveBeenSent: true))
        },
        Scenario("NSURLErrorDomain") { contoso in
            let account = try contoso.signIn()
            contoso.clock.advance(by: 4000)
            return await contoso.failure(account) { $0.timeout = .zero }
        },
    ]

    /// The names of a row and its codes.
    static let rows: [([String], Set<String>)] = ServerErrorTests.page.split(separator: "\n").compactMap { line in
        guard line.hasPrefix("| `MSAL") || line.hasPrefix("| an error of `NS") else { return nil }
        let cells = line.split(separator: "|")
        let codes = cells[1].matches(of: /AcquisitionError\/Code\/(\w+)/).map { String($0.1) }
        return (cells[0].matches(of: /`(\w+)`/).map { String($0.1) }, Set(codes))
    }

    /// Rows without a code: one that stands for all others, and one that cannot occur.
    static let withoutCode: Set = ["MSALErrorInternal", "MSALInternalErrorAccountRequired"]

    @Test(arguments: rows) func `what causes an error of MSAL causes the codes of its row`(
        _ names: [String],
        _ codes: Set<String>
    ) async throws {
        for name in names where !Self.withoutCode.contains(name) {
            var provoked: Set<String> = []
            for scenario in Self.scenarios where scenario.names.contains(name) {
                let failure = try #require(try await scenario.failure(Contoso()))
                provoked.insert(failure.code.description)
                if name == "NSOSStatusErrorDomain" { #expect(failure.cacheError != nil) }
                if failure.code == .networkFailed { #expect(failure.transportError != nil) }
            }
            #expect(provoked == codes, "\(name)")
        }
    }

    @Test func `only the rows that say so have no code`() {
        #expect(Set(Self.rows.filter(\.1.isEmpty).flatMap(\.0)) == Self.withoutCode)
        #expect(Set(Self.scenarios.flatMap(\.names)).isSubset(of: Self.rows.flatMap(\.0)))
    }
}
