// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
internal import Sealing
package import UnifiedSchema

/// The claims of an id token: decoded once, when a response is saved. Never validated here, because the token came from
/// the token endpoint over TLS.
package struct IDTokenPayload: Sendable {
    package let issuer: UTF8Text?
    package let subject: UTF8Text?
    let tenantID: UTF8Text?
    let objectID: UTF8Text?
    let username: UTF8Text?
    let name: UTF8Text?
    let givenName: UTF8Text?
    let familyName: UTF8Text?
    let middleName: UTF8Text?
    let alternativeID: UTF8Text?

    /// Decodes the payload of a token: three parts separated by dots, the second a base64-encoded JSON object.
    ///
    /// - Returns: nil for anything else. Such a token is stored anyway: its server may not follow the rules.
    /// - Throws: `forkedProcess`, `outOfMemory`.
    package static func decode(_ token: RawSpan) throws(StorageError) -> IDTokenPayload? {
        guard let payload = try payload(of: token) else { return nil }
        return claims(in: payload.bytes)
    }

    /// The decoded payload of a token, in secret memory; nil if it does not have the form of a token.
    static func payload(of token: RawSpan) throws(StorageError) -> SecretBytes? {
        let dot = UInt8(ascii: ".")
        guard let first = token.firstOffset(of: dot, from: 0),
            let second = token.firstOffset(of: dot, from: first + 1),
            token.firstOffset(of: dot, from: second + 1) == nil
        else { return nil }
        return try Base64URL.decode(token.extracting(first + 1..<second))
    }

    /// The claims in a JSON object; nil for other bytes.
    private static func claims(in json: RawSpan) -> IDTokenPayload? {
        guard let object = try? JSONObject(json) else { return nil }
        func text(_ name: StaticString) -> UTF8Text? {
            object.text(name, in: json).flatMap { $0.isBlank ? nil : $0 }
        }
        // Azure AD B2C names the user only here.
        var firstEmail: UTF8Text? {
            guard let emails = object.value("emails", in: json) else { return nil }
            return JSONObject.texts(inArray: emails, in: json).first { !$0.isBlank }
        }
        return IDTokenPayload(
            issuer: text("iss"),
            subject: text("sub"),
            tenantID: text("tid"),
            objectID: text("oid"),
            username: text("preferred_username") ?? text("upn") ?? text("unique_name") ?? text("email") ?? firstEmail,
            name: text("name"),
            givenName: text("given_name"),
            familyName: text("family_name"),
            middleName: text("middle_name"),
            alternativeID: text("altsecid")
        )
    }

    /// The tenant in a Microsoft issuer: the first part of its path, skipping the `tfp` that precedes it in some Azure
    /// AD B2C policies.
    var issuerTenant: UTF8Text? {
        let parts = issuerPath?.string.split(separator: "/") ?? []
        return parts.first { $0.lowercased() != "tfp" }.map { UTF8Text(String($0)) }
    }

    /// The path of the issuer without leading and trailing slashes, which distinguishes tenants for issuers other than
    /// Microsoft's. Nil if the issuer has no path.
    var issuerPath: UTF8Text? {
        guard let issuer = issuer?.string, let scheme = issuer.firstPlace(of: "://") else { return nil }
        let rest = issuer[scheme.upperBound...]
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        var path = rest[slash...].prefix { $0 != "?" && $0 != "#" }
        while path.hasPrefix("/") { path.removeFirst() }
        while path.hasSuffix("/") { path.removeLast() }
        return path.isEmpty ? nil : UTF8Text(String(path))
    }
}
