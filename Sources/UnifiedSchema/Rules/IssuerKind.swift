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
