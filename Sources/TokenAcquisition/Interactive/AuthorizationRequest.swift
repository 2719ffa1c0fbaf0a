// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import TokenCaching

/// An authorization request, with the values that identify its response. Used once.
struct AuthorizationRequest: Sendable {
    let request: InteractiveRequest
    let endpoint: TokenEndpoint
    let redirectURI: String
    let responseMode: ResponseMode
    /// The URL to which the browser goes.
    let url: String
    let nonce = Self.random()
    /// A value that only the browser sent to the server knows. Secret.
    let state = Self.random()
    /// The code verifier, which only this process knows (RFC 7636). Secret.
    let verifier = Self.random()

    private static let longestCode = 8192
    private static let longestError = 256
    /// The code with which Azure AD B2C reports that the user chose to reset the password.
    private static let passwordReset = "AADB2C90118"

    /// - Throws: `grantNotSupported` if the server has no authorization endpoint, lists PKCE methods without S256, or
    ///   requires pushed requests; `requestRejected` without the scope `openid`.
    init(_ request: InteractiveRequest, _ endpoint: TokenEndpoint, redirectURI: String) throws(AcquisitionError) {
        let metadata = endpoint.metadata
        let address = try metadata.requiredURL(of: .authorization)
        if let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw AcquisitionError(.grantNotSupported, detail: "the server does not offer PKCE with S256")
        }
        guard !metadata.requiresPushedRequests else {
            throw AcquisitionError(.grantNotSupported, detail: "the server requires pushed authorization requests")
        }
        self.request = request
        self.endpoint = endpoint
        self.redirectURI = redirectURI
        let mode = request.responseMode ?? (metadata.responseModes.contains("form_post") ? .formPost : .query)
        responseMode = mode
        let (state, nonce) = (state, nonce)
        let challenge = Self.challenge(for: verifier)
        let form = endpoint.form(
            scopes: try endpoint.signInScopes(
                request.scopes + request.extraScopesToConsent.filter { !request.scopes.contains($0) }
            ),
            claims: request.claims,
            extra: request.addedParameters,
            // The configured parameters may be secret, and this form becomes a URL.
            configured: [:]
        ) { form in
            form.add("response_type", "code")
            form.add("redirect_uri", redirectURI)
            form.add("response_mode", mode.rawValue)
            form.add("state", state)
            form.add("nonce", nonce)
            form.add("code_challenge", challenge)
            form.add("code_challenge_method", "S256")
            if request.prompt != .ifNecessary { form.add("prompt", request.prompt.rawValue) }
            form.add("login_hint", request.hint)
            form.add("domain_hint", request.domainHint)
            form.add("max_age", request.maximumAge.map { String($0.components.seconds) })
            if endpoint.authority.kind.isMicrosoft { form.add("client-request-id", endpoint.correlationID.description) }
        }
        url = address + (address.contains("?") ? "&" : "?") + form.query
    }

    /// The value with which the server compares the verifier (RFC 7636, section 4.2).
    static func challenge(for verifier: String) -> String { Base64URL.encode(SHA256Digest.of(verifier.rawSpan)) }

    /// Returns 256 random bits.
    private static func random() -> String { Base64URL.encode(SystemRandom.bytes(32)) }

    enum Response: Sendable {
        case foreign
        case code(String)
        case failed(AcquisitionError)
    }

    /// Interprets a request to the redirect URI. One without this request's state is foreign, whatever it contains: any
    /// process on the machine may have sent it.
    func meaning(of response: RedirectResponse) -> Response {
        guard let parameters = FormParameters.decoded(response.parameters), parameters["state"] == state else {
            return .foreign
        }
        func failed(_ code: AcquisitionError.Code, _ detail: String) -> Response {
            .failed(AcquisitionError(code, detail: detail))
        }
        if let issuer = parameters["iss"] {
            guard isIssuer(issuer) else { return failed(.issuerRejected, "authorization response") }
        } else if endpoint.metadata.namesIssuerInResponses {
            return failed(.issuerRejected, "authorization response: it names no issuer")
        }
        if let error = parameters["error"] {
            let response = Self.errorResponse(error, parameters)
            guard endpoint.authority.kind.reportsPasswordReset,
                parameters["error_description"]?.hasPrefix(Self.passwordReset) == true
            else { return .failed(AcquisitionError(response)) }
            return .failed(AcquisitionError(.passwordResetRequired) { $0.errorResponse = response })
        }
        guard response.mode == responseMode else {
            return failed(.responseRejected, "authorization response: it was not sent as \(responseMode.rawValue)")
        }
        guard let code = parameters["code"], !code.isEmpty, code.utf8.count <= Self.longestCode else {
            return failed(.responseRejected, "authorization response: it has no code")
        }
        return .code(code)
    }

    /// Whether an issuer is the one that the request was sent to (RFC 9207). Microsoft's metadata for several tenants
    /// contains a placeholder instead of a tenant.
    private func isIssuer(_ issuer: String) -> Bool {
        let own = endpoint.metadata.issuer
        guard let template = own.firstRange(of: "{tenantid}") else { return issuer == own }
        let (start, end) = (own[..<template.lowerBound], own[template.upperBound...])
        guard issuer.hasPrefix(start), issuer.hasSuffix(end) else { return false }
        return UUIDText.isValid(String(issuer.dropFirst(start.count).dropLast(end.count)))
    }

    /// The server's error, without its text for users, which may contain usernames.
    private static func errorResponse(_ error: String, _ parameters: [String: String]) -> TokenErrorResponse {
        func bounded(_ text: String?) -> String? {
            text.flatMap { text in
                let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                return isPlain && text.utf8.count <= longestError ? text : nil
            }
        }
        return TokenErrorResponse(error: bounded(error) ?? "", suberror: bounded(parameters["error_subcode"]))
    }
}
