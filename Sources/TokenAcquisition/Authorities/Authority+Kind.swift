// SPDX-License-Identifier: Apache-2.0

/// How the servers of the kinds differ.
extension Authority.Kind {
    /// Whether the server belongs to Microsoft's cloud, and accepts parameters and headers that only its servers know.
    var isMicrosoft: Bool {
        switch self {
        case .entra, .b2c, .ciam: true
        case .adfs, .openIDConnect, .oauth: false
        }
    }

    /// Whether a word such as `common` can take the place of a tenant.
    var hasTenantWords: Bool { self == .entra }

    /// Whether the server signs users in to other tenants too, so that a request may name one.
    var hasOtherTenants: Bool { self == .entra || self == .ciam }

    /// Whether an id token may be from a tenant other than that of the request. Its issuer then depends on the tenant
    /// that the token names.
    var issuerDependsOnTenant: Bool { self == .entra }

    /// Whether instance discovery lists the hosts of such servers, so that it can confirm a host that is not built in.
    var isListedByInstanceDiscovery: Bool { self == .entra }

    /// Whether all hosts of a cloud accept the refresh tokens of any of them.
    var sharesRefreshTokensInCloud: Bool { self == .entra }

    /// Whether the server accepts a renewal for any scope, as Microsoft's do: it answers with those that the user consented
    /// to, or requires interaction. Others refuse a renewal for a scope that was not granted (RFC 6749, section 6).
    var renewsForAnyScope: Bool { isMicrosoft || self == .adfs }

    /// Whether the server ends a session without an `id_token_hint`. Without one, other servers ask the user, or do not
    /// redirect.
    var endsSessionsWithoutIDToken: Bool { self == .entra }

    /// Whether the server uses an error to report that the user wants to reset the password.
    var reportsPasswordReset: Bool { self == .b2c }

    /// Whether the server says in an id token who signed in.
    var namesUsers: Bool { self != .oauth }

    /// Whether the server may send an error with the status of a success, as GitHub does.
    var mayRefuseWithSuccess: Bool { self == .oauth }
}
