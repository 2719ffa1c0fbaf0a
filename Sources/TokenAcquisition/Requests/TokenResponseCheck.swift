// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import TokenCaching
internal import UnifiedSchema

/// Checks the form of a token endpoint's successful response (RFC 6749, section 5.1) before anything of it is kept.
///
/// A sign-in with a response that fails keeps nothing. A renewal keeps the next refresh token, because the server may no
/// longer accept the previous one.
struct TokenResponseCheck {
    /// The scheme of the request; nil for a bearer token.
    var scheme: (any AuthenticationScheme)?

    /// - Throws: `responseRejected` for a response that is malformed, or whose access token has another type than the
    ///   requested one; `idTokenRejected` for a malformed id token.
    func check(_ body: [UInt8]) throws(AcquisitionError) {
        let json = body.rawSpan
        guard let object = try? JSONObject(json) else { throw Self.malformed("it is not a JSON object") }
        if object.value("error", in: json) != nil {
            throw Self.malformed("it is an error with the status of a success")
        }
        let accessToken = try Self.token("access_token", of: object, in: json)
        let refreshToken = try Self.token("refresh_token", of: object, in: json)
        let idToken = try Self.token("id_token", of: object, in: json)
        guard accessToken != nil || refreshToken != nil || idToken != nil else {
            throw Self.malformed("it contains no token")
        }
        if accessToken != nil { try checkType(of: object, in: json) }
        if let idToken { try IDTokenForm.check(idToken, in: json) }
    }

    /// A token; nil if the response has none of this name.
    private static func token(
        _ name: StaticString,
        of object: JSONObject,
        in json: RawSpan
    ) throws(AcquisitionError) -> JSONObject.Value? {
        guard let value = object.value(name, in: json) else { return nil }
        // Some servers write an empty text for no token.
        if value.isString, value.content.isEmpty { return nil }
        guard value.isString,
            TokenText.isValid(json.extracting(value.content), hasEscapes: value.form == .escapedString)
        else { throw malformed("\(name) is not a token") }
        return value
    }

    /// Without a type, a token is a bearer token. A client must not use a token of a type that it does not know (section
    /// 7.1).
    private func checkType(of object: JSONObject, in json: RawSpan) throws(AcquisitionError) {
        let type = object.value("token_type", in: json) == nil ? "Bearer" : object.text("token_type", in: json)?.string
        guard type?.lowercased() == (scheme?.tokenType ?? "Bearer").lowercased() else {
            throw AcquisitionError(.responseRejected, detail: "the access token does not have the requested type")
        }
    }

    private static func malformed(_ rule: String) -> AcquisitionError {
        AcquisitionError(.responseRejected, detail: "token response: \(rule)")
    }
}
