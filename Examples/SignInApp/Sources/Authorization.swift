// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching

/// Open one client for the life of the process. `services` is `Services.system` if the dependency has the trait SignIn.
func openClient(_ configuration: ClientConfiguration, _ services: Services) async throws -> PublicClient {
    try await .open(configuration, group: "com.contoso.sso", services: services)
}

/// The value of the `Authorization` header for a request to the API. Prompts the user only if necessary: in the browser; on a
/// machine without one, use a DeviceCodeRequest, whose code your app shows.
func authorization(_ client: PublicClient, for scopes: [String]) async throws -> String {
    try await client.acquireToken(askingIfNeeded: InteractiveRequest(scopes: scopes)).authorizationHeader
}
