// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenCaching

@testable import TokenAcquisition

/// The table of `ServerErrors.md`, which is what applications read.
@Suite struct ServerErrorTests {
    static let page: String = {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let path = sources.appending(path: "TokenAcquisition/TokenAcquisition.docc/ServerErrors.md")
        return (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    }()

    /// The error and the code of each row.
    static let rows: [(String, String)] = page.matches(
        of: /(?m)^\| `([a-z_]+)` \| [^|]+ \| ``AcquisitionError\/Code\/(\w+)`` \|$/
    ).map { (String($0.1), String($0.2)) }

    /// RFC 6749, RFC 8628, RFC 7009, OpenID Connect Core.
    static let defined: Set = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "access_denied", "unsupported_response_type", "server_error", "temporarily_unavailable",
        "authorization_pending", "slow_down", "expired_token", "unsupported_token_type", "interaction_required",
        "login_required", "account_selection_required", "consent_required", "invalid_request_uri",
        "invalid_request_object", "request_not_supported", "request_uri_not_supported", "registration_not_supported",
    ]

    /// `MSALErrorCode`, and what of `MSALInternalError` concerns a public client.
    static let msal = [
        "MSALErrorInternal", "MSALErrorWorkplaceJoinRequired", "MSALErrorInteractionRequired",
        "MSALErrorServerDeclinedScopes", "MSALErrorServerProtectionPoliciesRequired", "MSALErrorUserCanceled",
        "MSALErrorServerError", "MSALInternalErrorInvalidParameter", "MSALInternalErrorInvalidRequest",
        "MSALInternalErrorInvalidClient", "MSALInternalErrorInvalidGrant", "MSALInternalErrorInvalidScope",
        "MSALInternalErrorUnauthorizedClient", "MSALInternalErrorUnhandledResponse", "MSALInternalErrorUnexpected",
        "MSALInternalErrorFailedAuthorityValidation", "MSALInternalErrorMismatchedUser",
        "MSALInternalErrorAmbiguousAccount", "MSALInternalErrorAuthorizationFailed",
        "MSALInternalErrorAccountRequired", "MSALInternalErrorSessionCanceled", "MSALInternalErrorInvalidResponse",
        "MSALInternalErrorNonHttpsRedirect",
    ]

    @Test func `every error of the protocols has one row`() {
        let names = Self.rows.map(\.0)
        #expect(Self.defined.subtracting(names) == [])
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: rows) func `a silent request fails with the code of its row`(_ error: String, _ code: String)
        async throws
    {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 400, json(["error": error, "error_description": "ada@contoso.example"]))
        let failure = try #require(await contoso.failure(account))
        #expect(failure.code.description == code)
        #expect(failure.errorResponse?.error == error)
        #expect(!"\(failure)".contains("ada@"))
    }

    @Test(arguments: rows) func `a device code ends with the code of its row, or goes on`(
        _ error: String,
        _ code: String
    )
        async throws
    {
        let contoso = try Contoso()
        let authorization: [String: Any] = [
            "device_code": "dc", "user_code": "A", "verification_uri": "https://a.example", "expires_in": 60,
        ]
        contoso.server.answer(json(authorization))
        contoso.server.answer(status: 400, json(["error": error]))
        contoso.server.answer(contoso.tokens("1"))
        let request = DeviceCodeRequest(scopes: ["User.Read"])
        if ["authorization_pending", "slow_down"].contains(error) {
            #expect(try await contoso.client.acquireToken(request) { _ in }.source == .deviceCode)
        } else {
            let failure = await #expect(throws: AcquisitionError.self) {
                try await contoso.client.acquireToken(request) { _ in }
            }
            #expect(failure?.code.description == code)
        }
    }

    @Test(arguments: msal) func `every error of MSAL has a counterpart`(_ name: String) {
        let row = Self.page.split(separator: "\n").first { $0.hasPrefix("| `MSAL") && $0.contains("`\(name)`") }
        #expect(row?.split(separator: "|").count == 2)
    }
}
