// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension PublicClient {
    /// Gets a token from the broker, and saves it.
    ///
    /// - Returns: the result; nil if the broker has no sign-in for the account.
    func acquireToken(
        from broker: any Broker,
        for prepared: PreparedSilentRequest,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws(AcquisitionError) -> AuthenticationResult? {
        let request = prepared.request
        let authority = prepared.authority
        let body = try await broker.tokenResponse(
            for: BrokerRequest(
                clientID: configuration.clientID,
                authority: authority,
                scopes: request.scopes,
                account: request.account,
                forceRefresh: request.forceRefresh,
                claims: ClaimsRequest.merged(request.claims, capabilities: configuration.clientCapabilities),
                tokenRequestParameters: request.authenticationScheme?.tokenRequestParameters ?? [:],
                correlationID: correlationID,
                timeout: deadline.remaining
            )
        )
        guard let body else { return nil }
        let endpoint = try await endpoint(authority, correlationID: correlationID, until: deadline)
        // As in any renewal, times are not checked.
        try IDTokenCheck(
            authority: authority,
            issuer: endpoint.metadata.issuer,
            clientID: configuration.clientID
        ).check(response: body)
        // Saved as a renewal, which stores nothing if the user has signed out in the meantime.
        let renewal = TokenRequest(
            environment: authority.environment,
            tenant: authority.tenant ?? "",
            scopes: request.scopes,
            grant: .renewal,
            accountID: request.account.id,
            keyID: request.authenticationScheme?.keyID
        )
        return try await save(
            body,
            for: renewal,
            source: .broker,
            context: prepared.context,
            correlationID: correlationID
        )
    }
}
