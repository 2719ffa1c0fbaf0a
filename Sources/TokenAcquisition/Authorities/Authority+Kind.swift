// SPDX-License-Identifier: Apache-2.0

/// What servers of one kind do, and those of another do not.
extension Authority.Kind {
    /// Whether the server belongs to Microsoft's cloud, and accepts parameters and headers that only its servers know.
    var isMicrosoft: Bool {
        switch self {
        case .entra, .b2c, .ciam: true
        case .adfs, .openIDConnect: false
        }
    }

    /// Whether a word such as `common` can stand for any tenant of a kind.
    var hasTenantWords: Bool {
        switch self {
        case .entra: true
        case .b2c, .ciam, .adfs, .openIDConnect: false
        }
    }

    /// Whether the server signs users in to other tenants too, so that a request may name one.
    var hasOtherTenants: Bool {
        switch self {
        case .entra, .ciam: true
        case .b2c, .adfs, .openIDConnect: false
        }
    }

    /// Whether an id token names the tenant that issued it, which may be another one than that of the request. Its
    /// issuer then depends on the tenant.
    var namesTenantInIDTokens: Bool {
        switch self {
        case .entra: true
        case .b2c, .ciam, .adfs, .openIDConnect: false
        }
    }

    /// Whether Microsoft's global service lists the hosts of such servers, so that it can confirm a host that is not
    /// built in.
    var isConfirmedByMicrosoft: Bool {
        switch self {
        case .entra: true
        case .b2c, .ciam, .adfs, .openIDConnect: false
        }
    }

    /// Whether all hosts of a cloud accept the refresh tokens of any of them.
    var sharesRefreshTokensInCloud: Bool {
        switch self {
        case .entra: true
        case .b2c, .ciam, .adfs, .openIDConnect: false
        }
    }

    /// Whether the server ends a session without being sent the id token. Other servers then ask the user, or do not
    /// redirect.
    var endsSessionsWithoutIDToken: Bool {
        switch self {
        case .entra: true
        case .b2c, .ciam, .adfs, .openIDConnect: false
        }
    }

    /// Whether the server reports with an error that the user wants to reset the password.
    var reportsPasswordReset: Bool {
        switch self {
        case .b2c: true
        case .entra, .ciam, .adfs, .openIDConnect: false
        }
    }
}
