// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension AcquisitionError {
    /// Converts an error of the cache. An error that the renewal itself threw is returned unchanged.
    init(_ error: TokenCacheError, _ correlationID: CorrelationID? = nil) {
        if let own = error.underlying as? AcquisitionError {
            self = own
            return
        }
        if error.code == .renewalFailed, let inner = error.underlying as? TokenCacheError {
            self.init(inner, correlationID)
            return
        }
        let response = error.errorResponse
        let code: Code =
            switch error.code {
            case .renewalBusy: .renewalBusy
            case .severalAccounts: .severalAccounts
            case .cancelled: .cancelled
            case .renewalUnavailable: response?.asksForTime == true ? .throttled : .serverUnavailable
            case .signedOut: .interactionRequired
            case .invalidRequest: .requestRejected
            case .invalidResponse: .responseRejected
            default: .cacheFailed
            }
        self.init(code) { facts in
            facts.cacheError = error
            facts.errorResponse = response
            facts.retryAfter = response?.retryAfter
            facts.correlationID = correlationID
            if error.code == .signedOut { facts.reason = .signedOut }
        }
    }
}

extension TokenErrorResponse {
    /// Whether the server asked to send no further requests for a while.
    var asksForTime: Bool { status == 429 || retryAfter != nil }
}
