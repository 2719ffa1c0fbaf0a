// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import TokenCaching

/// One authorization request, and what its response is recognized by. Used once.
struct AuthorizationRequest: Sendable {
    let request: InteractiveRequest
    let endpoint: TokenEndpoint
    let redirectURI: String
    let responseMode: ResponseMode
    let page: BrowserRequest
    let nonce = Self.random()
    /// What only the browser that was sent to the server knows. Secret.
    let state = Self.random()
    /// What only this process knows (RFC 7636). Secret.
    let verifier = Self.random()

    private static let longestCode = 8192
    private static let longestError = 256
    /// How Azure AD B2C says that the user chose to reset the password.
    private static let passwordReset = "AADB2C90118"

    /// - Throws: `grantNotSupported` if the server has no authorization endpoint, lists methods of PKCE without S256, or requires
    ///   pushed requests;
    ///   `requestRejected` if the request wants a form at a redirect URI that takes none.
    init(_ request: InteractiveRequest, _ endpoint: TokenEndpoint, redirectURI: String) throws(AcquisitionError) {
        let metadata = endpoint.metadata
        guard let address = metadata.authorizationEndpoint else {
            throw AcquisitionError(.grantNotSupported, detail: "the server's metadata names no authorization endpoint")
        }
        if let methods = metadata.codeChallengeMethods, !methods.contains("S256") {
            throw AcquisitionError(.grantNotSupported, detail: "the server does not offer PKCE with S256")
        }
        guard !metadata.requiresPushedRequests else {
            throw AcquisitionError(.grantNotSupported, detail: "the server requires pushed authorization requests")
        }
        self.request = request
        self.endpoint = endpoint
        self.redirectURI = redirectURI
        // No form is posted to an application's own scheme.
        guard request.responseMode != .formPost || redirectURI.isOfTheWeb else {
            throw AcquisitionError(.requestRejected, detail: "no form can be posted to the redirect URI")
        }
        let canPost = metadata.responseModes.contains("form_post") && redirectURI.isOfTheWeb
        let mode = request.responseMode ?? (canPost ? .formPost : .query)
        responseMode = mode
        let (state, nonce) = (state, nonce)
        let challenge = Self.challenge(for: verifier)
        let form = endpoint.form(
            scopes: request.scopes + request.extraScopesToConsent.filter { !request.scopes.contains($0) },
            claims: request.claims,
            extra: request.extraParameters,
            // They may be secret, and this becomes a URL.
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
            if endpoint.authority.isMicrosoft { form.add("client-request-id", endpoint.correlationID.description) }
        }
        // Who takes a response as a form takes a request as one: servers have to (OpenID Connect Core, section 3.1.2.1), and
        // MSAL.js does the same at Microsoft's. A session whose cookie no other site may post with (SameSite=Lax) is not
        // found then, so a request that names nobody remains a URL.
        page = BrowserRequest(
            address: address,
            parameters: form.query,
            isPosted: mode == .formPost && request.namesUser
        )
    }

    /// What the server compares the verifier with (RFC 7636, section 4.2).
    static func challenge(for verifier: String) -> String { Base64URL.encode(SHA256Digest.of(verifier.rawSpan)) }

    /// 256 bits.
    private static func random() -> String { Base64URL.encode(SystemRandom.bytes(32)) }

    enum Response: Sendable {
        case foreign
        case code(String)
        case failed(AcquisitionError)
    }

    /// What a request to the redirect URI means. One without this request's state does not count, whatever it says:
    /// anybody on the machine may have sent it.
    func meaning(of response: RedirectResponse) -> Response {
        guard let parameters = FormParameters.decoded(response.parameters), parameters["state"] == state else {
            return .foreign
        }
        func failed(_ code: AcquisitionError.Code, _ detail: String) -> Response {
            .failed(AcquisitionError(code, detail: detail) { $0.correlationID = endpoint.correlationID })
        }
        if let issuer = parameters["iss"] {
            guard isIssuer(issuer) else { return failed(.issuerRejected, "authorization response") }
        } else if endpoint.metadata.namesIssuerInResponses {
            return failed(.issuerRejected, "authorization response: it names no issuer")
        }
        if let error = parameters["error"] {
            let response = Self.errorResponse(error, parameters)
            guard endpoint.authority.kind == .b2c,
                parameters["error_description"]?.hasPrefix(Self.passwordReset) == true
            else { return .failed(AcquisitionError(response, endpoint.correlationID)) }
            return .failed(
                AcquisitionError(.passwordResetRequired) { facts in
                    facts.errorResponse = response
                    facts.correlationID = endpoint.correlationID
                }
            )
        }
        guard response.mode == responseMode else {
            return failed(.responseRejected, "authorization response: it was not sent as \(responseMode.rawValue)")
        }
        guard let code = parameters["code"], !code.isEmpty, code.utf8.count <= Self.longestCode else {
            return failed(.responseRejected, "authorization response: it has no code")
        }
        return .code(code)
    }

    /// Whether an issuer is the one that the request went to (RFC 9207). Microsoft's metadata for several tenants names
    /// none of them.
    private func isIssuer(_ issuer: String) -> Bool {
        let own = endpoint.metadata.issuer
        guard let template = own.firstRange(of: "{tenantid}") else { return issuer == own }
        let (start, end) = (own[..<template.lowerBound], own[template.upperBound...])
        guard issuer.hasPrefix(start), issuer.hasSuffix(end) else { return false }
        return UUIDText.isValid(String(issuer.dropFirst(start.count).dropLast(end.count)))
    }

    /// The server's error, without its text for users, which may name them.
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
