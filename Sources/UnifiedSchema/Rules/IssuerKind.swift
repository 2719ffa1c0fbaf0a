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
