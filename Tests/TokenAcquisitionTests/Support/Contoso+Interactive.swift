// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenAcquisition
import TokenCaching

extension Contoso {
    /// A client of the same application that signs in with a browser.
    func client(_ browser: FakeBrowser, cache: TokenCache? = nil) throws -> PublicClient {
        var services = Self.services(server, clock, slept)
        services.browser = browser
        services.redirectListener = browser
        // Nobody's clock goes on while a test's user is in the browser.
        services.sleep = { try await Task.sleep(for: $0) }
        let cache = cache ?? self.cache
        var configuration = client.configuration
        configuration.clientID = cache.clientID
        return try PublicClient(configuration, cache: cache, services: services)
    }

    /// The server answers the next token request with the nonce of the authorization request.
    func answerSignIn(
        in browser: FakeBrowser,
        _ changes: [String: Any] = [:],
        claims: [String: any Sendable] = [:]
    ) {
        server.answer(Self.answer(in: browser, self, changes, claims: claims))
    }

    /// An answer with tokens for the nonce of the authorization request.
    static func answer(
        in browser: FakeBrowser,
        _ contoso: Contoso,
        _ changes: [String: Any] = [:],
        claims: [String: any Sendable] = [:]
    ) -> ScriptedServer.Answer {
        let made = contoso.tokens("1", changes, claims: ["nonce": "NONCE"].merging(claims) { $1 })
        return { _ throws(TransportError) in
            // The nonce is known only now, and the id token contains it encoded.
            let nonce = browser.query["nonce"] ?? ""
            let parts = made.split(separator: "\"").map(String.init)
            let token = parts.first { $0.split(separator: ".").count == 3 } ?? ""
            let payload = token.split(separator: ".").dropFirst().first.map(String.init) ?? ""
            let text = Self.decoded(payload).replacing("\"NONCE\"", with: "\"\(nonce)\"")
            let filled = made.replacing(payload, with: base64URL(text))
            return TransportResponse(
                status: 200,
                headers: [.init("Content-Type", "application/json")],
                body: Array(filled.utf8)
            )
        }
    }

    private static func decoded(_ text: String) -> String {
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        return String(decoding: Data(base64Encoded: base64) ?? Data(), as: UTF8.self)
    }
}
