// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing

/// What home account ids are made from, and which of them belong to the same account.
package enum HomeAccountID {
    /// The id that `client_info` gives an account. If `utid` is missing, `uid` serves as both, as in MSAL for Go.
    ///
    /// - Returns: nil without a `uid`.
    package static func of(uid: UTF8Text?, utid: UTF8Text?) -> UTF8Text? {
        guard let uid, !uid.isBlank else { return nil }
        let utid = utid.flatMap { $0.isBlank ? nil : $0 } ?? uid
        return plain(UTF8Text("\(uid.string).\(utid.string)"))
    }

    /// Whether two ids belong to the same account: they are equal regardless of case, or equal except for an Azure AD
    /// B2C policy. B2C's servers put the policy after the user's id (`OID-b2c_1_x.TID`) or omit it; MSAL for Java puts
    /// it after the whole id (`OID.TID-b2c_1_x`).
    package static func areSame(_ one: UTF8Text, _ other: UTF8Text) -> Bool {
        let (one, other) = (comparable(one), comparable(other))
        if one == other { return true }
        let isOneAtIssuer = issuer(of: one) != nil
        if isOneAtIssuer != (issuer(of: other) != nil) {
            return subject(of: one).normalized() == subject(of: other).normalized()
        }
        if isOneAtIssuer { return false }
        return withoutPolicy(one.string) == withoutPolicy(other.string)
    }

    /// A folded id without its policies. Names of policies begin with `b2c_1` and contain no dot.
    fileprivate static func withoutPolicy(_ id: String) -> [Substring] {
        id.split(separator: ".", omittingEmptySubsequences: false).map { part in
            guard let policy = part.firstPlace(of: "-b2c_1"), policy.lowerBound > part.startIndex else { return part }
            return part[..<policy.lowerBound]
        }
    }
}

/// Accounts at issuers that are not Microsoft's. A subject is unique only at its issuer (OpenID Connect Core 2 and 5.7), so
/// such an account is identified by both, byte for byte. Everything that compares, stores or names accounts uses one text for
/// both: the subject, `@`, and the issuer's URL.
extension HomeAccountID {
    /// The id of the account that a subject is at an issuer; the subject alone, folded, if there is no issuer.
    package static func comparable(_ subject: UTF8Text?, issuer: UTF8Text?) -> UTF8Text? {
        guard let subject, !subject.isBlank else { return nil }
        return comparable(joined(subject, issuer))
    }

    /// An id in comparable form: trimmed, and folded unless it names an issuer.
    package static func comparable(_ id: UTF8Text) -> UTF8Text {
        atIssuer(id.bytes) == nil ? id.normalized() : id.trimmed()
    }

    /// The id with the issuer; the subject alone, trimmed, if there is none, or if it is Microsoft's. Ids are compared
    /// without outer white space, so a subject at an issuer that has some is written in hexadecimal, as is one that looks
    /// as if it were.
    package static func joined(_ subject: UTF8Text, _ issuer: UTF8Text?) -> UTF8Text {
        let trimmed = subject.trimmed()
        guard let issuer, let issuer = named(issuer), !CloudTable.builtIn.isMicrosoft(issuer: issuer) else {
            return plain(trimmed)
        }
        guard trimmed != subject || subject.utf8.first == UInt8(ascii: "%") else {
            return UTF8Text("\(subject.string)@\(issuer.string)")
        }
        let digits = subject.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }
        return UTF8Text("\(digits.joined())@\(issuer.string)")
    }

    /// An id that names no issuer. A server may send a subject that looks as if it did, to be taken for another server's user:
    /// its `@` is written as `%40`.
    package static func plain(_ id: UTF8Text) -> UTF8Text {
        guard atIssuer(id.bytes) != nil else { return id }
        return UTF8Text(id.string.split(separator: "@", omittingEmptySubsequences: false).joined(separator: "%40"))
    }

    /// What entries have instead of the id: the home account id without the issuer, and the issuer if there is one.
    static func parts(of id: UTF8Text) -> (subject: UTF8Text, issuer: UTF8Text?) {
        atIssuer(id.bytes) == nil ? (id, nil) : (subject(of: id), issuer(of: id))
    }

    /// The home account id that entries have: without the issuer.
    package static func subject(of id: UTF8Text) -> UTF8Text {
        guard let offset = atIssuer(id.bytes) else { return id }
        return UTF8Text(utf8: id.bytes.extracting(0..<offset)) ?? id
    }

    /// The issuer that an id names; nil if it names none.
    package static func issuer(of id: UTF8Text) -> UTF8Text? {
        let id = id.trimmed()
        guard let offset = atIssuer(id.bytes) else { return nil }
        return UTF8Text(utf8: id.bytes.extracting(offset + 1..<id.byteCount))
    }

    /// The text by which an issuer is compared: byte for byte, but Google's `iss` may lack the scheme (OpenID Connect Core
    /// 15.6.2).
    ///
    /// - Returns: nil for a text that is no URL, or one of more than 2,048 bytes, which identifies nobody.
    package static func named(_ issuer: UTF8Text) -> UTF8Text? {
        let issuer = issuer.string == "accounts.google.com" ? UTF8Text("https://accounts.google.com") : issuer.trimmed()
        guard issuer.byteCount <= 2_048, issuer.string.hasPrefix("https://") || issuer.string.hasPrefix("http://"),
            atIssuer(UTF8Text("@\(issuer.string)").bytes) == 0
        else { return nil }
        return issuer
    }

    /// What an export appends to keys that would be equal at two issuers: base64url of SHA-256.
    package static func keyPart(ofIssuer issuer: UTF8Text) -> String {
        Base64URL.encode(SHA256Digest.of(issuer.bytes))
    }

    /// The offset of the last `@` before a URL, whose scheme may be in any case; nil if there is none.
    package static func atIssuer(_ id: RawSpan) -> Int? {
        // Most ids have no `@`.
        guard id.contains(UInt8(ascii: "@")) else { return nil }
        for offset in stride(from: id.byteCount - 9, through: 0, by: -1) where id.byte(at: offset) == UInt8(ascii: "@")
        {
            let rest = id.extracting(offset + 1..<id.byteCount)
            for scheme in ["https://", "http://"] as [UTF8Text] where rest.byteCount > scheme.byteCount {
                if rest.extracting(0..<scheme.byteCount).isEqual(ignoringCase: scheme.bytes) { return offset }
            }
        }
        return nil
    }
}

extension HomeAccountID {
    /// Whether an id ends with the id of a tenant, as every id from a `client_info` does, and therefore is not a subject.
    package static func namesTenant(_ id: UTF8Text) -> Bool {
        guard let tenant = TenantWord.homeTenant(of: id) else { return false }
        let groups = withoutPolicy(tenant.string).first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        return groups.map { $0.utf8.count } == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }

    /// Whether an id, in comparable form, is that of an account at an issuer with this subject, folded.
    package static func isSubject(_ subject: UTF8Text, of id: UTF8Text) -> Bool {
        atIssuer(id.bytes) != nil && self.subject(of: id).normalized() == subject
    }

    /// Whether an id may be the subject of an account at an issuer, without naming that.
    package static func mayBeSubject(_ id: UTF8Text) -> Bool { !namesTenant(id) && atIssuer(id.bytes) == nil }
}
