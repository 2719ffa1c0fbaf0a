// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension PublicClient {
    /// The token of the broker for a silent request.
    ///
    /// - Returns: nil if there is no broker, or it has none.
    func brokered(
        _ prepared: PreparedSilentRequest,
        _ broker: any Broker,
        _ correlationID: CorrelationID,
        _ deadline: RequestDeadline
    ) async throws(AcquisitionError) -> AuthenticationResult? {
        let request = prepared.request
        let authority = prepared.authority
        let body = try await broker.tokenResponse(
            for: BrokerRequest(
                clientID: configuration.clientID,
                authority: authority,
                scopes: request.scopes,
                account: request.account,
                claims: ClaimsRequest.merged(request.claims, capabilities: configuration.clientCapabilities),
                tokenRequestParameters: request.authenticationScheme?.tokenRequestParameters ?? [:],
                correlationID: correlationID,
                timeout: deadline.remaining
            )
        )
        guard let body else { return nil }
        let (endpoint, _) = try await endpoint(authority, correlationID, deadline)
        // Like in any renewal, times are not checked.
        try IDTokenCheck(
            authority: authority,
            issuer: endpoint.metadata.issuer,
            clientID: configuration.clientID
        ).check(response: body)
        let saved: SavedTokens
        let token: AccessToken?
        do throws(TokenCacheError) {
            // The user may have signed out while the broker worked: its token must not bring the sign-in back.
            guard try await cache.accounts().contains(where: { $0.id == request.account.id }) else {
                throw TokenCacheError(.signedOut)
            }
            saved = try await cache.save(
                try TokenResponse(json: body),
                for: TokenRequest(
                    environment: authority.environment,
                    tenant: authority.tenant ?? "",
                    scopes: request.scopes,
                    grant: .renewal,
                    accountID: request.account.id,
                    keyID: request.authenticationScheme?.keyID
                )
            )
            token = try await saved.accessToken()
        } catch {
            throw AcquisitionError(error, correlationID)
        }
        guard !saved.isOfAnotherAccount else {
            throw AcquisitionError(.accountMismatch) { $0.correlationID = correlationID }
        }
        guard let token else {
            throw AcquisitionError(.responseRejected, detail: "the broker's response has no access token")
        }
        return AuthenticationResult(token, .broker, prepared.context, correlationID)
    }
}
