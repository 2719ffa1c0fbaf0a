// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Checks the claims of an id token (OpenID Connect Core, section 3.1.3.7).
///
/// The signature is not checked: the token comes from the token endpoint over TLS, which suffices (step 6 of that
/// section), and id tokens from elsewhere are never accepted.
struct IDTokenCheck: Sendable {
    let authority: Authority
    /// The issuer in the server's metadata.
    let issuer: String
    let clientID: String
    /// The nonce of the authorization request, if there was one.
    var nonce: String?
    /// The time; nil to skip the checks of times. A renewal skips them: rejecting its response because of a wrong clock
    /// would lose the only copy of the next refresh token.
    var now: Timestamp?
    /// Whether to reject a response without an id token.
    var isRequired = false
    /// The maximum time since the user signed in, in seconds; nil for any time.
    var maximumAge: Int64?

    /// The user that a token names.
    struct User: Sendable {
        let subject: String
        /// The names that the user may have entered; empty if the token contains none.
        let names: [String]
    }

    /// The tolerated difference between the clocks of server and client, in seconds.
    private static let skew: Int64 = 300

    /// Checks the id token in the body of a token response. A body that has none, or that is not JSON, passes unless an
    /// id token is required: other checks handle it.
    ///
    /// - Returns: the user; nil for a body without an id token.
    /// - Throws: `issuerRejected`, `idTokenRejected`.
    @discardableResult
    func check(response body: [UInt8]) throws(AcquisitionError) -> User? {
        guard let object = try? JSONObject(body.rawSpan),
            let token = object.value("id_token", in: body.rawSpan), token.isString, !token.content.isEmpty
        else {
            if isRequired { throw Self.rejected("it is missing; where a server issues none, name the account") }
            return nil
        }
        let access = object.value("access_token", in: body.rawSpan)
        var hash: [UInt8]?
        // Some servers write an empty text for no token.
        if let access, access.isString, !access.content.isEmpty {
            let secret = try IDTokenForm.secret(access, in: body.rawSpan)
            hash = SHA256Digest.of(secret.bytes)
        }
        let text = try IDTokenForm.secret(token, in: body.rawSpan)
        return try check(text.bytes, accessTokenHash: hash)
    }

    /// Checks the claims of a token.
    ///
    /// - Parameters:
    ///   - token: three parts in base64url, separated by dots.
    ///   - accessTokenHash: the SHA-256 of the access token in the same response, if there is one.
    /// - Returns: the user.
    /// - Throws: `issuerRejected`, `idTokenRejected`.
    @discardableResult
    func check(_ token: RawSpan, accessTokenHash: [UInt8]? = nil) throws(AcquisitionError) -> User {
        let form = try IDTokenForm(token)
        try checkIssuer(try form.issuer, tenantID: form.text("tid"))
        let subject = try form.subject
        try checkAudience(Self.texts("aud", of: form.claims, in: form.payload.bytes), authorizedParty: form.text("azp"))
        if let now {
            let (now, skew) = (now.secondsSince1970, Self.skew)
            guard let expiry = form.seconds("exp") else { throw Self.rejected("it has no expiry") }
            guard now - skew < expiry else { throw Self.rejected("it has expired, or the clock is ahead") }
            for time in [form.seconds("iat"), form.seconds("nbf")] {
                if let time, now + skew < time { throw Self.rejected("it is from the future, or the clock is behind") }
            }
        }
        if let now, let maximumAge {
            guard let time = form.seconds("auth_time") else {
                throw Self.rejected("it does not say when the user signed in")
            }
            // Subtracting a bounded age from the current time cannot overflow, whatever value the server sent.
            guard time >= now.secondsSince1970 - Self.skew - min(maximumAge, now.secondsSince1970) else {
                throw Self.rejected("the user signed in too long ago")
            }
        }
        if let nonce, form.text("nonce") != nonce { throw Self.rejected("it belongs to another request") }
        if let expected = form.text("at_hash"), let accessTokenHash,
            form.head.text("alg", in: form.header.bytes)?.string.hasSuffix("256") == true
        {
            guard expected == Base64URL.encode(Array(accessTokenHash.prefix(16))) else {
                throw Self.rejected("it belongs to another access token")
            }
        }
        let names = [form.text("preferred_username"), form.text("email"), form.text("upn"), form.text("unique_name")]
        return User(subject: subject, names: names.compactMap { $0 }.filter { !$0.isEmpty })
    }

    // MARK: - Steps

    private func checkIssuer(_ named: String, tenantID: String?) throws(AcquisitionError) {
        var accepted = [issuer]
        // Google's may lack the scheme (OpenID Connect Core, section 15.6.2).
        if issuer == "https://accounts.google.com" { accepted.append("accounts.google.com") }
        if authority.kind.issuerDependsOnTenant {
            guard let tenantID, authority.accepts(tenantID: tenantID) else {
                throw AcquisitionError(.issuerRejected, detail: "id token: it is from another tenant")
            }
            // Applications registered with version 1 of the service get tokens with its issuer.
            accepted = [issuer.replacing("{tenantid}", with: tenantID), "https://sts.windows.net/\(tenantID)/"]
        }
        guard accepted.contains(named) else {
            throw AcquisitionError(.issuerRejected, detail: "id token: \(AcquisitionError.shown(issuer: named))")
        }
    }

    private func checkAudience(_ audience: [String], authorizedParty: String?) throws(AcquisitionError) {
        guard audience.contains(where: isOwn) else { throw Self.rejected("it is for another application") }
        if let authorizedParty, !isOwn(authorizedParty) { throw Self.rejected("it was issued to another application") }
        if audience.count > 1, authorizedParty == nil { throw Self.rejected("it is for several applications") }
    }

    /// Microsoft's client ids are UUIDs, which are compared ignoring case.
    private func isOwn(_ client: String) -> Bool {
        client == clientID || (authority.kind.isMicrosoft && client.lowercased() == clientID.lowercased())
    }

    // MARK: - Reading

    private static func rejected(_ reason: String) -> AcquisitionError { IDTokenForm.rejected(reason) }

    private static func texts(_ name: StaticString, of object: JSONObject, in json: RawSpan) -> [String] {
        guard let value = object.value(name, in: json) else { return [] }
        if value.isString { return object.text(of: value, in: json).map { [$0.string] } ?? [] }
        return value.form == .array ? JSONObject.texts(inArray: value, in: json).map(\.string) : []
    }
}
