// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension CredentialFields {
    /// The fields of an ADAL item that lookups compare.
    ///
    /// The environment is the host of its authority and the realm is the first part of its path. The time at which the
    /// item was cached is in an unknown time zone (see ``LegacyTimes``), so it only orders items by age. For the same
    /// reason the expiry of its access token is omitted.
    init(legacy facts: EntryFacts) {
        self.init(kind: .legacySingleResourceToken)
        guard let item = LegacyTokenView(facts) else { return }
        let authority = item.authority.flatMap { LegacyAuthority($0) }
        environment = authority?.host ?? ""
        realm = authority?.tenant ?? CredentialFields.normalized(item.servicePrincipalTenant)
        clientID = CredentialFields.normalized(item.clientID ?? item.servicePrincipalID) ?? ""
        familyID = CredentialFields.normalized(item.familyID)
        username = CredentialFields.normalized(item.userID)
        localAccountID = CredentialFields.normalized(item.objectID)
        let end = item.expiresOnText.flatMap { LegacyTimes.parse($0) }
        cachedAt = item.createdOnText.flatMap { LegacyTimes.parse($0) } ?? end.map { $0 - (item.expiresIn ?? 0) }
    }

    private static func normalized(_ text: UTF8Text?) -> UTF8Text? {
        text.map { $0.normalized() }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The authority of an ADAL item: `https://login.microsoftonline.com/contoso.com`, both parts folded.
package struct LegacyAuthority: Hashable, Sendable {
    package let host: UTF8Text
    /// The first part of the path, which names a tenant, or is `common` or `adfs`.
    package let tenant: UTF8Text

    /// - Returns: nil if it is not an https URL with a host and a path.
    package init?(_ url: UTF8Text) {
        let folded = url.normalized().string.utf8
        let scheme = "https://".utf8
        guard folded.starts(with: scheme) else { return nil }
        let parts = folded.dropFirst(scheme.count).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count >= 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        host = UTF8Text(String(decoding: parts[0], as: UTF8.self))
        tenant = UTF8Text(String(decoding: parts[1], as: UTF8.self))
    }
}

/// Times as ADAL for Python writes them: `2026-11-21 23:30:00.123456`, in the local time of the writer.
///
/// The time zone is unknown. They are suitable only for comparing entries of one file and of copies of it.
enum LegacyTimes {
    /// Seconds since the beginning of 1970 in that unknown time zone; nil if the text is not such a time.
    static func parse(_ text: UTF8Text) -> Int64? {
        let bytes = Array(text.trimmed().utf8)
        guard bytes.count >= 19, bytes[4] == ASCII.minus, bytes[7] == ASCII.minus,
            bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"), bytes[13] == ASCII.colon,
            bytes[16] == ASCII.colon, let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19])
        else { return nil }
        return CalendarTime.seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}
