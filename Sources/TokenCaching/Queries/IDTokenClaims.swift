// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// The claims of an id token about the user: its decoded payload. Never validated here.
///
/// The claims that most issuers send have properties; ``text(_:)`` and ``json(_:)`` return any other. Claims that are
/// missing, null, blank or of an unexpected type are nil.
///
/// ```swift
/// for profile in account.tenantProfiles {
///     guard let claims = try cache.claims(for: profile) else { continue }
///     print(claims.name ?? "", claims.text("acct") ?? "")
/// }
/// ```
public struct IDTokenClaims: Sendable {
    /// The payload, as the issuer wrote it.
    private let payload: [UInt8]
    private let object: JSONObject

    /// - Returns: nil if the payload is not a JSON object.
    init?(payload: RawSpan) {
        guard let object = try? JSONObject(payload) else { return nil }
        // SAFETY: the buffer is only read, inside the closure.
        self.payload = unsafe payload.withUnsafeBytes { buffer in unsafe Array(buffer) }
        self.object = object
    }

    /// The issuer of the token: `iss`.
    public var issuer: String? { text("iss") }

    /// The identifier of the user, specific to this application: `sub`.
    public var subject: String? { text("sub") }

    /// The applications that the token is for: `aud`, which may be a string or a list. Usually one.
    public var audience: [String] { texts("aud") }

    /// The tenant that issued it: `tid`.
    public var tenantID: String? { text("tid") }

    /// The identifier of the user in that tenant, the same for all applications: `oid`.
    public var objectID: String? { text("oid") }

    /// The name that the user signs in with: `preferred_username`, otherwise `upn`, `unique_name` or `email`. Users
    /// change it, and tenants reassign it.
    public var username: String? { text("preferred_username") ?? text("upn") ?? text("unique_name") ?? email }

    /// The email address: `email`.
    public var email: String? { text("email") }

    /// The display name: `name`.
    public var name: String? { text("name") }

    /// The given name: `given_name`.
    public var givenName: String? { text("given_name") }

    /// The family name: `family_name`.
    public var familyName: String? { text("family_name") }

    /// The middle name: `middle_name`.
    public var middleName: String? { text("middle_name") }

    /// When it was issued: `iat`.
    public var issuedAt: Timestamp? { time("iat") }

    /// When it expires: `exp`. Its claims may still be displayed afterwards.
    public var expiresOn: Timestamp? { time("exp") }

    /// The strings in a claim that is a string or a list of strings, such as `roles`; empty if it is neither.
    public func texts(_ name: String) -> [String] {
        if let text = text(name) { return [text] }
        guard let value = object.value(of: UTF8Text(name), in: payload.rawSpan), value.form == .array else { return [] }
        return JSONObject.texts(inArray: value, in: payload.rawSpan).map(\.string)
    }

    /// A claim that is a string.
    public func text(_ name: String) -> String? {
        guard let value = object.value(of: UTF8Text(name), in: payload.rawSpan) else { return nil }
        return object.text(of: value, in: payload.rawSpan).flatMap { $0.isBlank ? nil : $0.string }
    }

    /// The JSON of any claim, as the issuer wrote it; nil if it is absent or null.
    public func json(_ name: String) -> String? {
        object.value(of: UTF8Text(name), in: payload.rawSpan)
            .map { String(copying: payload.rawSpan.extracting($0.range)) }
    }

    private func time(_ name: StaticString) -> Timestamp? {
        object.seconds(name, in: payload.rawSpan).map { Timestamp(secondsSince1970: $0) }
    }
}

extension IDTokenClaims: Hashable {
    /// Whether the payloads are identical, byte for byte.
    public static func == (left: IDTokenClaims, right: IDTokenClaims) -> Bool { left.payload == right.payload }

    /// Hashes the payload.
    public func hash(into hasher: inout Hasher) { hasher.combine(payload) }
}

extension IDTokenClaims: CustomStringConvertible, CustomReflectable {
    /// The type's name; none of the claims.
    public var description: String { "IDTokenClaims" }

    /// No children, so that the claims do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
