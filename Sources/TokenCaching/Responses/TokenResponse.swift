// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// The successful response of a token endpoint (RFC 6749, section 5.1, and OpenID Connect), as JSON.
///
/// The bytes are copied into secret memory and stay there: tokens are never converted to strings. The memory is wiped
/// when the value is destroyed; wipe the bytes that you passed yourself.
///
/// ```swift
/// let response = try TokenResponse(json: body)       // body: [UInt8] of the HTTP response
/// try cache.save(response, for: request)
/// ```
public struct TokenResponse: ~Copyable, Sendable {
    let json: SecretBytes
    let object: JSONObject
    /// Whether the other tokens count as absent.
    private let hasOnlyRefreshToken: Bool

    /// Copies the body of a response.
    ///
    /// - Parameter json: UTF-8, at most 1 MiB.
    /// - Throws: ``TokenCacheError/Code/invalidResponse`` if it is not a JSON object, contains an error, no token, or a
    ///   token with other characters than visible ASCII and the space (RFC 6749, appendix A),
    ///   ``TokenCacheError/Code/tooLarge``, ``TokenCacheError/Code/outOfMemory``,
    ///   ``TokenCacheError/Code/forkedProcess``.
    public init(json: RawSpan) throws(TokenCacheError) {
        try self.init(json: json, hasOnlyRefreshToken: false)
    }

    /// Copies the body of a response whose other tokens must not be used: its refresh token may be the only one that
    /// the server still accepts.
    ///
    /// - Throws: the same as ``init(json:)-(RawSpan)``, but only for the refresh token.
    package init(onlyRefreshTokenIn json: [UInt8]) throws(TokenCacheError) {
        try self.init(json: json.rawSpan, hasOnlyRefreshToken: true)
    }

    private init(json: RawSpan, hasOnlyRefreshToken: Bool) throws(TokenCacheError) {
        let object = try translating(try TokenResponse.checked(json, hasOnlyRefreshToken: hasOnlyRefreshToken))
        self.json = try translating(try sealing(try SecretBytes(copying: json)))
        self.object = object
        self.hasOnlyRefreshToken = hasOnlyRefreshToken
    }

    /// Copies the body of a response. See ``init(json:)-(RawSpan)``.
    public init(json: [UInt8]) throws(TokenCacheError) {
        try self.init(json: json.rawSpan)
    }

    static let maximumByteCount = 1 << 20

    private static func checked(
        _ json: RawSpan,
        hasOnlyRefreshToken: Bool
    ) throws(StorageError) -> JSONObject {
        guard json.byteCount <= maximumByteCount else { throw StorageError(.tooLarge) }
        let object: JSONObject
        do {
            object = try JSONObject(json)
        } catch {
            throw StorageError(.invalidResponse, detail: error.rule, byteOffset: error.byteOffset)
        }
        if object.value("error", in: json) != nil {
            throw StorageError(.invalidResponse, detail: "it is an error response")
        }
        var hasToken = false
        func check(_ token: JSONObject.Value?) throws(StorageError) {
            guard let token else { return }
            guard token.isString else { throw StorageError(.invalidResponse, detail: "a token is not a string") }
            guard !token.content.isEmpty else { return }
            let content = json.extracting(token.content)
            guard TokenText.isValid(content, hasEscapes: token.form == .escapedString) else {
                throw StorageError(.invalidResponse, detail: "a token has characters that no token has")
            }
            hasToken = true
        }
        try check(object.value("refresh_token", in: json))
        if !hasOnlyRefreshToken {
            try check(object.value("access_token", in: json))
            try check(object.value("id_token", in: json))
        }
        guard hasToken else { throw StorageError(.invalidResponse, detail: "it contains no token") }
        return object
    }

    // MARK: - Contents

    var accessToken: JSONObject.Value? { hasOnlyRefreshToken ? nil : token("access_token") }

    var refreshToken: JSONObject.Value? { token("refresh_token") }

    var idToken: JSONObject.Value? { hasOnlyRefreshToken ? nil : token("id_token") }

    /// A token that is present and not empty.
    private func token(_ name: StaticString) -> JSONObject.Value? {
        guard let value = object.value(name, in: json.bytes), value.isString, !value.content.isEmpty else { return nil }
        return value
    }

    func text(_ name: StaticString) -> UTF8Text? {
        object.text(name, in: json.bytes).flatMap { $0.isBlank ? nil : $0 }
    }

    /// The family whose clients may redeem the refresh token, whether the server sends it as a string or as a number.
    var family: UTF8Text? { text("foci") ?? seconds("foci").map { UTF8Text(String($0)) } }

    func seconds(_ name: StaticString) -> Int64? {
        object.seconds(name, in: json.bytes)
    }

    /// The claims of the id token; nil if there is none, or they cannot be decoded.
    func idTokenClaims() throws(StorageError) -> IDTokenPayload? {
        guard let idToken else { return nil }
        if idToken.form == .plainString { return try IDTokenPayload.decode(json.bytes.extracting(idToken.content)) }
        var isText = true
        let text = try sealing(
            try SecretBytes(byteCount: idToken.content.count) { output in
                do throws(SchemaError) {
                    try JSONObject.unescape(idToken, in: json.bytes, into: &output)
                } catch {
                    isText = false
                }
            }
        )
        return isText ? try IDTokenPayload.decode(text.bytes) : nil
    }

    func clientInfo() throws(StorageError) -> ClientInfo? {
        guard let raw = text("client_info") else { return nil }
        return try ClientInfo.decode(raw)
    }

    /// The secret payload of the entry for a token.
    func payload(of token: JSONObject.Value) throws(StorageError) -> SecretBytes {
        let secrets = SecretRanges(ranges: [token.range], tokenIndex: 0)
        return try sealing(
            try SecretBytes(byteCount: SecretPayload.byteCount(secrets)) { output in
                SecretPayload.write(secrets, of: json.bytes, into: &output)
            }
        )
    }
}

extension TokenResponse {
    /// The scopes that the server granted, if it named them.
    public var scopes: [String]? {
        scopeSet?.scopes.map(\.string)
    }

    var scopeSet: ScopeSet? { text("scope").map { ScopeSet($0) } }

    /// The lifetime of the access token, if the server gave one.
    public var expiresIn: Duration? { seconds("expires_in").map { .seconds($0) } }
}
