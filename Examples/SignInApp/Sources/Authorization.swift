// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching

/// Open one client for the life of the process. `services` is `Services.system` if the dependency has the trait SignIn.
func openClient(_ configuration: ClientConfiguration, _ services: Services) async throws -> PublicClient {
    try await .open(configuration, group: "com.contoso.sso", services: services)
}

/// The value of the header `Authorization` for a request to the API: without the user if that is possible.
func authorization(_ client: PublicClient, for scopes: [String]) async throws -> String {
    let account = try await client.currentAccount().current
    if let account {
        let request = SilentRequest(scopes: scopes, account: account)
        do {
            return try await client.acquireTokenSilent(request).authorizationHeader
        } catch {
            guard error.code == .interactionRequired else { throw error }  // otherwise the sign-in has ended
        }
    }
    // With the browser; where there is none, a DeviceCodeRequest prints a code.
    var signIn = InteractiveRequest(scopes: scopes)
    signIn.account = account  // or whoever the user is, the first time
    return try await client.acquireToken(signIn).authorizationHeader
}
