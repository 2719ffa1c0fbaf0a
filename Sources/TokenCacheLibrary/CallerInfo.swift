// SPDX-License-Identifier: Apache-2.0

internal import CTokenCache
internal import TokenCaching

/// Where the caller wants the answer to a query.
@safe struct CallerInfo {
    // SAFETY: it is not NULL and large enough, as its size says.
    private let pointer: UnsafeMutablePointer<tokencache_info>

    @inline(__always)
    init(_ pointer: UnsafeMutablePointer<tokencache_info>?) throws(CallFailure) {
        _ = unsafe try checked(UnsafePointer(pointer), "info")
        unsafe self.pointer = try required(pointer, "info")
    }

    @inline(__always)
    func write(_ decision: TokenDecision) {
        switch decision {
        case .valid(let token): write(TOKENCACHE_VALID, token)
        case .renew: write(TOKENCACHE_RENEW)
        case .interactionRequired(let reason): write(TOKENCACHE_INTERACTION_REQUIRED, reason: reason)
        }
    }

    /// Writes the result of a renewal; nil if a refresh token has to be redeemed.
    func write(_ result: TokenResult?) {
        switch result {
        case nil: write(TOKENCACHE_RENEW)
        case .valid(let token): write(TOKENCACHE_VALID, token)
        case .scopesDeclined(let grant): write(TOKENCACHE_SCOPES_DECLINED, grant.accessToken)
        case .interactionRequired(let required): write(TOKENCACHE_INTERACTION_REQUIRED, reason: required.reason)
        }
    }

    @inline(__always)
    private func write(_ decision: Int, _ token: AccessToken? = nil, reason: InteractionReason? = nil) {
        var flags = 0
        if let token {
            if token.shouldRenew { flags |= TOKENCACHE_RENEW_SOON }
            if token.staleness != nil { flags |= TOKENCACHE_STALE }
            if token.isExtended { flags |= TOKENCACHE_EXTENDED }
        }
        unsafe pointer.pointee.decision = Int32(truncatingIfNeeded: decision)
        unsafe pointer.pointee.flags = UInt32(truncatingIfNeeded: flags)
        unsafe pointer.pointee.reason = reason?.value.number ?? 0
        unsafe pointer.pointee.expires_on = token?.expiresOn.secondsSince1970 ?? 0
        unsafe pointer.pointee.refresh_on = token?.refreshOn?.secondsSince1970 ?? 0
        unsafe pointer.pointee.extended_expires_on = token?.extendedExpiresOn?.secondsSince1970 ?? 0
    }
}

extension InteractionReason.Value {
    /// The number in the header. It never changes.
    package var number: Int32 {
        let number =
            switch self {
            case .accountUnknown: TOKENCACHE_ACCOUNT_UNKNOWN
            case .refreshTokenMissing: TOKENCACHE_REFRESH_TOKEN_MISSING
            case .tokensExpired: TOKENCACHE_TOKENS_EXPIRED
            case .claimsRequested: TOKENCACHE_CLAIMS_REQUESTED
            case .refreshTokenLost: TOKENCACHE_REFRESH_TOKEN_LOST
            case .renewalRefused: TOKENCACHE_RENEWAL_REFUSED
            case .scopesNotGranted: TOKENCACHE_SCOPES_NOT_GRANTED
            case .signedOut: TOKENCACHE_ACCOUNT_SIGNED_OUT
            case .severalAccounts: TOKENCACHE_USERNAME_OF_SEVERAL
            case .accountMismatch: TOKENCACHE_OTHER_ACCOUNT_ANSWERED
            case .applicationTokenMissing: TOKENCACHE_APPLICATION_TOKEN_MISSING
            }
        return Int32(truncatingIfNeeded: number)
    }
}
