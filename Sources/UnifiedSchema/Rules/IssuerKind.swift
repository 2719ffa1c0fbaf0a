// SPDX-License-Identifier: Apache-2.0

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

/// Microsoft hosts outside the clouds that the SDKs know: Azure AD B2C and Entra External ID.
package enum MicrosoftHost {
    private static let domains: [(suffix: String, kind: IssuerKind)] = [
        (".b2clogin.com", .b2c), (".ciamlogin.com", .entra),
    ]

    /// The kind of issuer at this host; nil for any other host.
    static func kind(_ host: UTF8Text) -> IssuerKind? {
        let host = host.normalized().string
        return domains.first { host.utf8.count > $0.suffix.utf8.count && host.hasSuffix($0.suffix) }?.kind
    }

    /// Whether a host is one of these.
    package static func isTenantHost(_ host: UTF8Text) -> Bool { kind(host) != nil }
}

extension CloudTable {
    /// Whether a host belongs to Microsoft, in a known cloud or not. Refresh tokens of these hosts have no realm,
    /// because they are valid for any tenant; other issuers separate theirs by realm.
    package func isMicrosoft(_ host: UTF8Text) -> Bool {
        cloud(of: host) != nil || MicrosoftHost.isTenantHost(host)
    }
}
