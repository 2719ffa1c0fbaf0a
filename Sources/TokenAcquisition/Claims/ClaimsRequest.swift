// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// Claims that a token must have (OpenID Connect Core, section 5.5), usually because an API requested them in a
/// challenge.
///
/// ```swift
/// // An API answered 401.
/// if let claims = try ClaimsRequest(wwwAuthenticate: header) {
///     request.claims = claims
///     result = try await client.acquireTokenSilent(request)
/// }
/// ```
public struct ClaimsRequest: Hashable, Sendable {
    /// The claims, as JSON text.
    public let json: String

    /// The maximum length of the text, in bytes.
    private static let maximumByteCount = 1 << 14

    /// Creates a request from JSON text.
    ///
    /// - Parameter json: an object, at most 16 KiB.
    /// - Throws: ``AcquisitionError/Code/requestRejected`` for any other text.
    public init(json: String) throws(AcquisitionError) {
        guard json.utf8.count <= Self.maximumByteCount,
            let value = try? JSONValue(parsing: json.rawSpan), case .object = value
        else { throw AcquisitionError(.requestRejected, detail: "claims: they are not a JSON object") }
        self.json = json
    }

    /// Creates a request from the claims that an API requests in the header `WWW-Authenticate` of its response.
    ///
    /// An API requests claims with a challenge of the scheme `Bearer` with `error="insufficient_claims"` and `claims`,
    /// as JSON or as its base64. Nil if the header requests no claims.
    ///
    /// - Parameter header: the value of the header. If the response has several such headers, pass one after the other,
    ///   or all joined by commas.
    /// - Throws: ``AcquisitionError/Code/requestRejected`` if the header requests claims that are not a JSON object.
    public init?(wwwAuthenticate header: String) throws(AcquisitionError) {
        let challenge = AuthenticationChallenge.all(in: header).first { challenge in
            challenge.scheme == "bearer" && challenge.parameters["error"] == "insufficient_claims"
                && challenge.parameters["claims"] != nil
        }
        guard let text = challenge?.parameters["claims"] else { return nil }
        if text.hasPrefix("{") {
            try self.init(json: text)
            return
        }
        var isText = false
        let bytes = Base64URL.decodedByteCount(text.rawSpan).map { count in
            [UInt8](byteCount: count) { isText = Base64URL.decode(text.rawSpan, into: &$0) }
        }
        try self.init(json: isText ? bytes.flatMap { String($0.rawSpan) } ?? "" : "")
    }

    /// Merges these claims with the application's capabilities, as the token endpoint expects them; nil if there are
    /// none.
    static func merged(_ claims: ClaimsRequest?, capabilities: [String]) -> String? {
        guard !capabilities.isEmpty else { return claims?.json }
        let list = JSONValue.object([
            JSONValue.Member(name: "values", value: .array(capabilities.map { .string(UTF8Text($0)) }))
        ])
        let asked = claims.flatMap { try? JSONValue(parsing: $0.json.rawSpan) }
        var members = (asked ?? .object([])).members
        let index = members.firstIndex { $0.name == "access_token" }
        var inner = index.map { members[$0].value.members } ?? []
        inner.removeAll { $0.name == "xms_cc" }
        inner.append(JSONValue.Member(name: "xms_cc", value: list))
        let merged = JSONValue.Member(name: "access_token", value: .object(inner))
        if let index { members[index] = merged } else { members.append(merged) }
        var bytes: [UInt8] = []
        JSONValue.object(members).write(to: &bytes)
        return String(bytes.rawSpan)
    }
}

extension ClaimsRequest: CustomStringConvertible, CustomReflectable {
    /// The type's name, because claims may name the user.
    public var description: String { "ClaimsRequest" }

    /// No children, because claims may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
