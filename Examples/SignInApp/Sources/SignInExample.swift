// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenAcquisition
import TokenCaching

/// `sign-in-example ISSUER CLIENT-ID`: signs a user in, asks an API for the user's profile, and signs out.
@main
enum SignInExample {
    private static let scopes = ["openid", "profile"]

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3 else { throw Failure("usage: sign-in-example ISSUER CLIENT-ID") }
        let issuer = words[1]
        let configuration = ClientConfiguration(clientID: words[2], authority: try Authority(issuer))
        let client = try await openClient(configuration, .system)

        print("# Nobody is signed in yet, so the browser opens.")
        let first = try await authorization(client, for: scopes)
        guard let account = try await client.currentAccount().current else { throw Failure("there is no account") }
        print("signed in: \(account.username ?? account.id.text)")

        print("# The API says whose token it is.")
        try await printProfile(at: issuer + "/userinfo", first)

        print("# Again, without the user: the token comes from the cache.")
        print("the same token: \(try await authorization(client, for: scopes) == first)")

        print("# A new one, still without the user. An app needs this only after an API has refused the token.")
        var request = SilentRequest(scopes: scopes, account: account)
        request.forceRefresh = true
        let renewed = try await client.acquireTokenSilent(request)
        print("from a \(renewed.source.rawValue): \(try renewed.authorizationHeader != first)")
        try await printProfile(at: issuer + "/userinfo", try renewed.authorizationHeader)

        print("# Signing out of the app, at the server, and in the browser.")
        var signOut = SignOutRequest()
        (signOut.revokesTokens, signOut.endsBrowserSession) = (true, true)
        let report = try await client.signOut(account, with: signOut)
        print(
            "tokens revoked: \(report.revocation == .done), session in the browser ended: \(report.browserSession == .done)"
        )
        print("accounts: \(try await client.accounts().count)")
        await client.close()
        client.cache.close()
    }

    /// Asks an API with the token. Any HTTP client does that; this one trusts the same certificates as the sign-in.
    private static func printProfile(at url: String, _ authorization: String) async throws {
        let request = TransportRequest(method: .get, url: url, headers: [.init("Authorization", authorization)])
        let response = try await Services.system.transport.send(request)
        guard response.status == 200 else { throw Failure("the API answered with status \(response.status)") }
        let profile = try JSONDecoder().decode(Profile.self, from: Data(response.body))
        print("name: \(profile.name)")
    }

    private struct Profile: Decodable {
        let name: String
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}
