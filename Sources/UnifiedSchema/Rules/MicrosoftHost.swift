/// Hosts of Microsoft's that are in no cloud that the SDKs know: Azure AD B2C and Entra External ID.
package enum MicrosoftHost {
    private static let domains: [(suffix: String, kind: IssuerKind)] = [
        (".b2clogin.com", .b2c), (".ciamlogin.com", .entra),
    ]

    /// What issues tokens there; nil for any other host.
    static func kind(_ host: UTF8Text) -> IssuerKind? {
        let host = host.normalized().string
        return domains.first { host.utf8.count > $0.suffix.utf8.count && host.hasSuffix($0.suffix) }?.kind
    }

    /// Whether a host is one of them.
    package static func isTenantHost(_ host: UTF8Text) -> Bool { kind(host) != nil }
}

extension CloudTable {
    /// Whether a host is one of Microsoft's, in a known cloud or not. Refresh tokens of these have no realm: they are good for
    /// any tenant. Other issuers keep theirs apart.
    package func isMicrosoft(_ host: UTF8Text) -> Bool {
        cloud(of: host) != nil || MicrosoftHost.isTenantHost(host)
    }
}

/// Whose host issues tokens, as far as that says what its answers mean.
package enum IssuerKind: Hashable, Sendable, CaseIterable {
    /// Microsoft Entra: the known clouds, and External ID (`ciamlogin.com`). Its suberrors say what a refusal means.
    case entra
    /// Azure AD B2C. It is Microsoft's, but policies write its refusals, and many have no suberror.
    case b2c
    /// Any other, of whom no more is known than what the standards say.
    case other

    package init(host: UTF8Text, clouds: CloudTable) {
        self = clouds.cloud(of: host) != nil ? .entra : MicrosoftHost.kind(host) ?? .other
    }

    package var isMicrosoft: Bool { self != .other }
}
