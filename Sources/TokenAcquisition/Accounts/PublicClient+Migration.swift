// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension PublicClient {
    /// Migrates a sign-in from another library, such as ADAL, or from an application's own store.
    ///
    /// Redeems the refresh token once, and stores its successor in this cache. Delete it from the other store: if two
    /// clients hold one refresh token, servers that detect its reuse end the session.
    ///
    /// If the task is cancelled, or the request times out, after the refresh token was sent, the client waits in the
    /// background for the server's response and saves it; ``close()`` waits for that.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - refreshToken: the refresh token, which the authority of the request issued to this client id.
    /// - Returns: the token and its account, which counts as signed in.
    /// - Throws: ``AcquisitionError/Code/interactionRequired`` if the server does not accept the refresh token, or
    ///   granted none of the scopes (with the reason `scopesNotGranted`, although the account is signed in).
    ///   ``AcquisitionError/Code/scopesDeclined`` if the server granted only some of them: the account is signed in
    ///   nevertheless, and ``AcquisitionError/result`` has the token for the granted ones. The server can cause
    ///   ``AcquisitionError/Code/declinedByUser``, ``AcquisitionError/Code/serverRefused``,
    ///   ``AcquisitionError/Code/grantNotSupported``, ``AcquisitionError/Code/deviceRegistrationRequired``,
    ///   ``AcquisitionError/Code/protectionPolicyRequired``, ``AcquisitionError/Code/serverUnavailable``,
    ///   ``AcquisitionError/Code/throttled``, and ``AcquisitionError/Code/authorityRejected``,
    ///   ``AcquisitionError/Code/issuerRejected``, ``AcquisitionError/Code/responseRejected`` or
    ///   ``AcquisitionError/Code/idTokenRejected``, after which nothing is saved. This machine can cause
    ///   ``AcquisitionError/Code/networkFailed``, ``AcquisitionError/Code/timeout``,
    ///   ``AcquisitionError/Code/cacheFailed``, and the caller ``AcquisitionError/Code/cancelled``.
    ///   ``AcquisitionError/Code/requestRejected`` for a request without scopes, or without a refresh token.
    public func acquireToken(
        _ request: MigrationRequest,
        redeeming refreshToken: String
    ) async throws(AcquisitionError) -> AuthenticationResult {
        guard request.scopes.contains(where: { !$0.isEmpty }), !refreshToken.isEmpty else {
            throw AcquisitionError(.requestRejected, detail: "it names no scope, or no refresh token")
        }
        let authority = request.authority ?? configuration.authority
        // The token would be spent for nothing.
        guard authority.kind.namesUsers else {
            throw AcquisitionError(.requestRejected, detail: "this authority does not say whose the token is")
        }
        let deadline = RequestDeadline(after: request.timeout)
        let correlationID = request.correlationID ?? CorrelationID()
        return try await services.reporting(.migration, correlationID) { () async throws(AcquisitionError) in
            try await outliving(deadline, correlationID) { () async throws(AcquisitionError) in
                let endpoint = try await self.endpoint(authority, correlationID: correlationID, until: deadline)
                return try await self.completing { () async throws(AcquisitionError) in
                    try await self.redeem(refreshToken, request, at: endpoint)
                }
            }
        }
    }

    private func redeem(
        _ refreshToken: String,
        _ request: MigrationRequest,
        at endpoint: TokenEndpoint
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let endpoint = endpoint.until(RequestDeadline.longestRequest)
        // The grant of a refresh token from elsewhere is unknown.
        let scopes = try endpoint.renewalScopes(request.scopes, granted: nil)
        let form = endpoint.form(scopes: scopes) { form in
            form.add("grant_type", "refresh_token")
            form.add("refresh_token", refreshToken)
        }
        let response = try await endpoint.post(form, to: endpoint.metadata.tokenEndpoint)
        guard response.status == 200 else {
            throw endpoint.failure(response)
        }
        try TokenResponseCheck().check(response.body)
        // As in any renewal, times are not checked.
        try IDTokenCheck(
            authority: endpoint.authority,
            issuer: endpoint.metadata.issuer,
            clientID: configuration.clientID
        ).check(response: response.body)
        return try await save(
            response,
            from: endpoint,
            scopes: request.scopes,
            source: .migration
        )
    }
}
