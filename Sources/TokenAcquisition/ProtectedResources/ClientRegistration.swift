// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching
internal import UnifiedSchema

/// Registers a public client (RFC 7591).
struct ClientRegistration {
    let name: String
    let redirectURI: String
    let scopes: [String]
    let usesDeviceCodes: Bool

    /// Sends the registration to an authority.
    ///
    /// What the response has besides the id is not kept: a token with which to manage the registration (RFC 7592), and a secret
    /// that some servers send to clients that have none.
    ///
    /// - Returns: the id of the client.
    /// - Throws: `serverRefused`, and `responseRejected` if the server registered another redirect URI, a client with a secret,
    ///   or no client.
    func register(at url: String, _ services: Services) async throws(AcquisitionError) -> String {
        let response = try await services.send(
            TransportRequest(
                method: .post,
                url: url,
                headers: [
                    .init("Accept", "application/json"), .init("Accept-Encoding", "identity"),
                    .init("Content-Type", "application/json"),
                ],
                body: body,
                timeout: RequestDeadline.longestRequest,
                maximumResponseByteCount: Discovery.maximumByteCount
            )
        )
        let (now, title) = (services.clock.now(), "registration of a client")
        if [400, 401, 403].contains(response.status) {
            throw AcquisitionError(.serverRefused, detail: title) { $0.errorResponse = response.errorResponse(at: now) }
        }
        let json = try JSONResponse.object(response, of: title, at: now, statuses: [200, 201])
        func rejected(_ reason: String) -> AcquisitionError {
            AcquisitionError(.responseRejected, detail: "\(title): \(reason)")
        }
        guard let clientID = json["client_id"]?.text?.string, clientID.isClientID else {
            throw rejected("it names no client")
        }
        guard json["redirect_uris"]?.elements.contains(where: { $0.text?.string == redirectURI }) == true else {
            throw rejected("it is for another redirect URI")
        }
        let method = json["token_endpoint_auth_method"]?.text?.string
        guard method == "none" || (method == nil && json["client_secret"] == nil) else {
            throw rejected("the client has to authenticate with a secret")
        }
        return clientID
    }

    private var body: [UInt8] {
        func list(_ name: UTF8Text, _ values: [String]) -> JSONValue.Member {
            JSONValue.Member(name: name, value: .array(values.map { .string(UTF8Text($0)) }))
        }
        let deviceCodes = usesDeviceCodes ? ["urn:ietf:params:oauth:grant-type:device_code"] : []
        var bytes: [UInt8] = []
        let texts = JSONValue.object(of: [
            "client_name": name, "application_type": "native", "token_endpoint_auth_method": "none",
            "scope": scopes.isEmpty ? nil : scopes.joined(separator: " "),
        ])
        let lists = [
            list("redirect_uris", [redirectURI]), list("response_types", ["code"]),
            list("grant_types", ["authorization_code", "refresh_token"] + deviceCodes),
        ]
        JSONValue.object(texts.members + lists).write(to: &bytes)
        return bytes
    }
}

extension String {
    /// Whether it is the id of a client (RFC 6749, appendix A.1), of a length that servers have, and not only spaces.
    var isClientID: Bool {
        utf8.contains { $0 != 0x20 } && utf8.count <= 512 && utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
