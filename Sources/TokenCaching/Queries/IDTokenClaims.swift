internal import ByteOperations
internal import UnifiedSchema

/// What an id token says of the person: its payload, decoded. Never verified here.
///
/// The claims that most issuers send have properties; ``text(_:)`` and ``json(_:)`` give any other. Claims that are
/// missing, null, blank or of another type than expected are nil.
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

    /// - Returns: nil for what is no JSON object.
    init?(payload: RawSpan) {
        guard let object = try? JSONObject(payload) else { return nil }
        // SAFETY: the buffer is only read, inside the closure.
        self.payload = unsafe payload.withUnsafeBytes { buffer in unsafe Array(buffer) }
        self.object = object
    }

    /// Who issued the token: `iss`.
    public var issuer: String? { text("iss") }

    /// The person, as this application knows it: `sub`.
    public var subject: String? { text("sub") }

    /// The applications that the token is for: `aud`, whether it is one text or a list of them. Usually one.
    public var audience: [String] { texts("aud") }

    /// The tenant that issued it: `tid`.
    public var tenantID: String? { text("tid") }

    /// The person in that tenant, whatever the application: `oid`.
    public var objectID: String? { text("oid") }

    /// The name that the person signs in with: `preferred_username`, else `upn`, `unique_name` or `email`. People change
    /// it, and tenants reuse it.
    public var username: String? { text("preferred_username") ?? text("upn") ?? text("unique_name") ?? email }

    /// The address for mail: `email`.
    public var email: String? { text("email") }

    /// The name for people: `name`.
    public var name: String? { text("name") }

    /// The given name: `given_name`.
    public var givenName: String? { text("given_name") }

    /// The family name: `family_name`.
    public var familyName: String? { text("family_name") }

    /// The middle name: `middle_name`.
    public var middleName: String? { text("middle_name") }

    /// When it was issued: `iat`.
    public var issuedAt: Timestamp? { time("iat") }

    /// When it ends: `exp`. What it says of the person may be shown afterwards, too.
    public var expiresOn: Timestamp? { time("exp") }

    /// The texts in a claim that is a text or a list of texts, such as `roles`; empty where it is neither.
    public func texts(_ name: String) -> [String] {
        if let text = text(name) { return [text] }
        guard let value = object.value(of: UTF8Text(name), in: payload.rawSpan), value.form == .array else { return [] }
        return JSONObject.texts(inArray: value, in: payload.rawSpan).map(\.string)
    }

    /// A claim that is a text.
    public func text(_ name: String) -> String? {
        guard let value = object.value(of: UTF8Text(name), in: payload.rawSpan) else { return nil }
        return object.text(of: value, in: payload.rawSpan).flatMap { $0.isBlank ? nil : $0.string }
    }

    /// The JSON of any claim, as the issuer wrote it; nil where it is absent or null.
    public func json(_ name: String) -> String? {
        object.value(of: UTF8Text(name), in: payload.rawSpan)
            .map { String(copying: payload.rawSpan.extracting($0.range)) }
    }

    private func time(_ name: StaticString) -> Timestamp? {
        object.seconds(name, in: payload.rawSpan).map { Timestamp(secondsSince1970: $0) }
    }
}

extension IDTokenClaims: Hashable {
    /// Whether the payloads are the same, byte for byte.
    public static func == (left: IDTokenClaims, right: IDTokenClaims) -> Bool { left.payload == right.payload }

    /// Hashes the payload.
    public func hash(into hasher: inout Hasher) { hasher.combine(payload) }
}

extension IDTokenClaims: CustomStringConvertible, CustomReflectable {
    /// Nothing that the token says.
    public var description: String { "IDTokenClaims" }

    /// No children: what a token says of a person stays out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
