// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension AcquisitionError {
    /// The reason that a silent request needs interaction, or that interaction would not help.
    init(_ required: InteractionRequired) {
        let response = required.errorResponse
        let code: Code =
            if required.reason == .accountMismatch {
                .accountMismatch
            } else if required.reason == .renewalRefused, let response, !response.error.isEmpty {
                Code(refusal: response)
            } else {
                .interactionRequired
            }
        self.init(code) { facts in
            facts.reason = required.reason
            facts.errorResponse = response
        }
    }

    /// The server granted only some of the scopes, and `result` has the token for these.
    init(_ grant: PartialGrant, _ result: AuthenticationResult) {
        self.init(.scopesDeclined) { facts in
            facts.grantedScopes = grant.grantedScopes
            facts.declinedScopes = grant.declinedScopes
            facts.result = result
        }
    }

    /// A server's error response to a request for tokens.
    init(_ response: TokenErrorResponse) {
        let code = Code(refusal: response)
        self.init(code) { facts in
            facts.errorResponse = response
            facts.retryAfter = response.retryAfter
            if code == .interactionRequired { facts.reason = .renewalRefused }
        }
    }
}

extension AcquisitionError {
    /// The issuer that a server names, for a message: only if it can be a URL.
    static func shown(issuer: String) -> String {
        let isPlain = issuer.utf8.count <= 256 && issuer.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain && !issuer.isEmpty ? "it names \(issuer)" : "it names none that is a URL"
    }
}

extension AcquisitionError.Code {
    /// Maps a server's error to a code.
    init(refusal response: TokenErrorResponse) {
        if let suberror = response.suberror, let code = Self.suberrors[suberror] {
            self = code
        } else if let code = response.errorCodes.lazy.compactMap({ Self.numbers[$0] }).first {
            self = code
        } else if let code = Self.errors[response.error] {
            self = code
        } else if response.status == 429 {
            self = .throttled
        } else if let status = response.status, status == 408 || (500...599).contains(status) {
            self = .serverUnavailable
        } else {
            self = .serverRefused
        }
    }

    /// Errors of RFC 6749 (4.1.2.1, 5.2), RFC 8628 (3.5), RFC 8707 (2) and OpenID Connect Core (3.1.2.6), and Entra's and
    /// GitHub's own names for them.
    private static let errors: [String: AcquisitionError.Code] = [
        "invalid_grant": .interactionRequired,
        "interaction_required": .interactionRequired,
        "login_required": .interactionRequired,
        "consent_required": .interactionRequired,
        "account_selection_required": .interactionRequired,
        "invalid_request": .serverRefused,
        "invalid_client": .serverRefused,
        "invalid_scope": .serverRefused,
        "invalid_resource": .serverRefused,
        "invalid_target": .serverRefused,
        "bad_refresh_token": .interactionRequired,
        "unauthorized_client": .grantNotSupported,
        "unsupported_grant_type": .grantNotSupported,
        "unsupported_response_type": .grantNotSupported,
        "access_denied": .declinedByUser,
        "authorization_declined": .declinedByUser,
        "expired_token": .deviceCodeExpired,
        "code_expired": .deviceCodeExpired,
        "slow_down": .throttled,
        "server_error": .serverUnavailable,
        "temporarily_unavailable": .serverUnavailable,
    ]

    private static let suberrors: [String: AcquisitionError.Code] = [
        "protection_policy_required": .protectionPolicyRequired
    ]

    /// Numbers of Entra's errors: the device is not registered, not compliant or not joined, or Conditional Access
    /// forbids the sign-in.
    private static let numbers: [Int64: AcquisitionError.Code] = [
        50097: .deviceRegistrationRequired,
        50129: .deviceRegistrationRequired,
        53000: .deviceRegistrationRequired,
        53001: .deviceRegistrationRequired,
        53003: .deviceRegistrationRequired,
    ]
}

extension TransportResponse {
    /// Reads the OAuth error response in the body.
    ///
    /// - Parameter now: the client's current time, with which a date in `Retry-After` is compared.
    /// - Returns: the response, without the server's text for users.
    func errorResponse(at now: Timestamp) -> TokenErrorResponse {
        TokenErrorResponse(status: status, body: body, retryAfter: header("Retry-After"), date: now)
    }
}
