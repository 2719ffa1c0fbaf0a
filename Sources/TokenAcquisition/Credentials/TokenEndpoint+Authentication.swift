// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import TokenCaching

extension TokenEndpoint {
    /// The fields that only a credential adds.
    static let credentialNames: Set<String> = ["client_secret", "client_assertion", "client_assertion_type"]

    /// What the client authenticates with; nil for a public client.
    ///
    /// - Throws: `configurationRejected` if it is for another authority, which must not see it.
    func credential() throws(AcquisitionError) -> ClientCredential? {
        guard let credential = configuration.credential else { return nil }
        guard configuration.authority.sharesCredential(with: authority) else {
            throw AcquisitionError(.configurationRejected, detail: "the client's secret is for another authority")
        }
        return credential
    }

    /// Adds what the client authenticates with to a request (RFC 6749, section 2.3; RFC 7523, section 2.2).
    ///
    /// - Parameters:
    ///   - form: the body.
    ///   - url: the endpoint.
    /// - Returns: the header field; nil if there is none.
    /// - Throws: `configurationRejected` if there is no secret, or if it is for another authority, which must not see it;
    ///   `grantNotSupported` if the server accepts no secret.
    func authenticate(_ form: inout FormBody, to url: String) async throws(AcquisitionError) -> HTTPHeaderField? {
        guard let credential = try credential() else { return nil }
        let secret = try await credential.current()
        switch credential.kind {
        case .assertion:
            form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            form.add("client_assertion", secret: secret.bytes.bytes)
            return nil
        case .secret:
            // Without a list, the header is meant (RFC 8414, section 2). A server without metadata, such as GitHub, documents
            // the body.
            let usual = authority.kind == .oauth ? "client_secret_post" : "client_secret_basic"
            let methods = metadata.authenticationMethods(at: url) ?? [usual]
            if methods.contains("client_secret_basic") {
                return .basic(user: configuration.clientID, password: secret.bytes.bytes)
            }
            guard methods.contains("client_secret_post") else {
                throw AcquisitionError(.grantNotSupported, detail: "the server accepts no client secret")
            }
            form.add("client_secret", secret: secret.bytes.bytes)
            return nil
        }
    }
}

extension HTTPHeaderField {
    /// The credentials of a client, each encoded as in a form (RFC 6749, section 2.3.1).
    fileprivate static func basic(user: String, password: RawSpan) -> HTTPHeaderField {
        var credentials: [UInt8] = []
        credentials.reserveCapacity(3 * (user.utf8.count + password.byteCount) + 1)
        defer { credentials.wipe() }
        FormBody.encode(user.rawSpan, to: &credentials)
        credentials.append(UInt8(ascii: ":"))
        FormBody.encode(password, to: &credentials)
        var digits = Base64.encode(credentials)
        defer { digits.wipe() }
        return HTTPHeaderField("Authorization", "Basic " + String(decoding: digits, as: UTF8.self))
    }
}

extension Authority {
    /// Whether a secret for this authority may be sent to another one: to the same issuer, or to another tenant of the same
    /// cloud of Microsoft's.
    fileprivate func sharesCredential(with other: Authority) -> Bool {
        kind == other.kind && (url == other.url || kind.isMicrosoft && isOfCloud(other.environment))
    }
}
