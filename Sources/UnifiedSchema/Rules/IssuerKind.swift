// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The kind of issuer, which determines the meaning of its responses.
package enum IssuerKind: Hashable, Sendable, CaseIterable {
    /// Microsoft Entra: the known clouds, and External ID (`ciamlogin.com`). Its suberrors explain a refusal.
    case entra
    /// Azure AD B2C. It belongs to Microsoft, but custom policies write its refusals, and many have no suberror.
    case b2c
    /// Any other issuer, which is assumed only to follow the standards.
    case other

    package init(host: UTF8Text, clouds: CloudTable) {
        self = clouds.cloud(of: host) != nil ? .entra : MicrosoftHost.kind(host) ?? .other
    }

    package var isMicrosoft: Bool { self != .other }
}

/// Microsoft hosts outside the clouds that the SDKs know: each tenant has its own, below one of these domains.
///
/// The list of MSAL Python 1.39 (`WELL_KNOWN_B2C_HOSTS` in `authority.py`) and MSAL.NET 4.87, read in November 2026.
package enum MicrosoftHost: String, Sendable, CaseIterable {
    case b2c = "b2clogin.com"
    case b2cInChina = "b2clogin.cn"
    case b2cForGovernment = "b2clogin.us"
    case b2cInGermany = "b2clogin.de"
    case externalID = "ciamlogin.com"

    /// The domain that a host is below; nil for any other host, and for the domain itself.
    package init?(of host: UTF8Text) {
        let host = host.normalized().string
        let found = MicrosoftHost.allCases.first { domain in
            host.utf8.count > domain.rawValue.utf8.count + 1 && host.hasSuffix("." + domain.rawValue)
        }
        guard let found else { return nil }
        self = found
    }

    package var issuerKind: IssuerKind { self == .externalID ? .entra : .b2c }

    /// The kind of issuer at this host; nil for any other host.
    static func kind(_ host: UTF8Text) -> IssuerKind? { MicrosoftHost(of: host)?.issuerKind }

    /// Whether a host is one of these.
    package static func isTenantHost(_ host: UTF8Text) -> Bool { kind(host) != nil }
}

extension CloudTable {
    /// Whether a host belongs to Microsoft, in a known cloud or not. Refresh tokens of these hosts have no realm,
    /// because they are valid for any tenant; other issuers separate theirs by realm.
    package func isMicrosoft(_ host: UTF8Text) -> Bool {
        cloud(of: host) != nil || MicrosoftHost.isTenantHost(host)
    }

    /// Whether an issuer's URL is below a host that belongs to Microsoft.
    package func isMicrosoft(issuer: UTF8Text) -> Bool {
        let url = issuer.bytes
        guard let colon = url.firstOffset(of: ASCII.colon, from: 0), colon + 3 < url.byteCount,
            url.extracting(colon..<colon + 3).isEqual(to: "://")
        else { return false }
        let end = url.firstOffset(of: UInt8(ascii: "/"), from: colon + 3) ?? url.byteCount
        guard let host = UTF8Text(utf8: url.extracting(colon + 3..<end)) else { return false }
        return isMicrosoft(host) || host == "sts.windows.net"
    }
}
