// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenAcquisition

/// The OpenID provider of scripts/with-provider, beside which the tests run.
enum RealProvider {
    static let issuer = variable("ISSUER")
    static let clientID = variable("CLIENT_ID")
    static let transport = HTTPTransport(environment: [:], additionalRootFiles: [variable("ROOTS")])

    /// Does what the user's browser does: signs in, and enters a device code.
    static func approve(_ userCode: String) async throws {
        let account = ["username": variable("USER"), "password": variable("PASSWORD")]
        let signedIn = try await transport.send(
            TransportRequest(
                method: .post,
                url: variable("API") + "/auth/",
                headers: [.init("Content-Type", "application/json")],
                body: Array(try JSONEncoder().encode(account))
            )
        )
        let cookie = signedIn.header("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
        let approved = try await transport.send(
            TransportRequest(
                method: .get,
                url: variable("API") + "/oidc/device?code=\(userCode)&g_continue=1",
                headers: [.init("Cookie", cookie ?? "")]
            )
        )
        // It leads to a page that says so.
        guard approved.header("Location")?.contains("prompt=deviceComplete") == true else {
            throw Failure(status: approved.status, location: approved.header("Location"))
        }
    }

    /// What the provider's API says about the user of a token; the status, if it says nothing.
    static func user(of result: AuthenticationResult) async throws -> [String: String] {
        let response = try await transport.send(
            TransportRequest(
                method: .get,
                url: issuer + "/userinfo",
                headers: [.init("Authorization", try result.authorizationHeader)]
            )
        )
        guard response.status == 200 else { throw Failure(status: response.status, location: nil) }
        let claims = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        return claims?.compactMapValues { $0 as? String } ?? [:]
    }

    struct Failure: Error {
        let status: Int
        let location: String?
    }

    private static func variable(_ name: String) -> String {
        guard let value = ProcessInfo.processInfo.environment["PROVIDER_\(name)"] else {
            fatalError("PROVIDER_\(name) is not set: run scripts/test-sign-in")
        }
        return value
    }
}
