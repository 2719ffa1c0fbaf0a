// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching

/// Open one client for the life of the process. `services` is `Services.system` if the dependency has the trait SignIn.
func openClient(_ configuration: ClientConfiguration, _ services: Services) async throws -> PublicClient {
    try await .open(configuration, group: "com.contoso.sso", services: services)
}

/// The value of the `Authorization` header for a request to the API. Prompts the user only if necessary.
func authorization(_ client: PublicClient, for scopes: [String]) async throws -> String {
    let account = try await client.currentAccount().current
    var claims: ClaimsRequest?
    if let account {
        let request = SilentRequest(scopes: scopes, account: account)
        do {
            return try await client.acquireTokenSilent(request).authorizationHeader
        } catch {
            guard error.code == .interactionRequired else { throw error }  // go on: the user has to sign in again
            claims = error.claimsToRequest  // without them the next request may fail for the same reason
        }
    }
    // In the browser; on a machine without one, use a DeviceCodeRequest, whose code your app shows.
    // The account is nil the first time: any user may sign in.
    let signIn = InteractiveRequest(scopes: scopes, account: account, claims: claims)
    return try await client.acquireToken(signIn).authorizationHeader
}
