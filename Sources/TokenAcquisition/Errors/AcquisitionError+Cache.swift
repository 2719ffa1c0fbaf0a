// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension AcquisitionError {
    /// Converts an error of the cache. An error that the renewal itself threw is returned unchanged.
    init(_ error: TokenCacheError) {
        if let own = error.underlying as? AcquisitionError {
            self = own
            return
        }
        if error.code == .renewalFailed, let inner = error.underlying as? TokenCacheError {
            self.init(inner)
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
            if error.code == .signedOut { facts.reason = .signedOut }
        }
    }
}

extension AcquisitionError {
    /// Converts an error of a renewal, and names the server that cannot help now, with what is known of it.
    init(_ error: TokenCacheError, from authority: Authority) {
        let findings = error.code == .renewalUnavailable ? [authority.environment, error.detail] : []
        let detail = findings.isEmpty ? nil : findings.compactMap(\.self).joined(separator: ": ")
        self = AcquisitionError(error).changed { $0.detail = $0.detail ?? detail }
    }
}

/// Evaluates a call of the cache, and throws its error as an `AcquisitionError`.
func usingCache<Result: ~Copyable>(
    _ call: @autoclosure () throws(TokenCacheError) -> Result
) throws(AcquisitionError) -> Result {
    do throws(TokenCacheError) {
        return try call()
    } catch {
        throw AcquisitionError(error)
    }
}

/// The same for a call that does not block the calling thread.
nonisolated(nonsending) func usingCache<Result>(
    _ call: @autoclosure () async throws(TokenCacheError) -> Result
) async throws(AcquisitionError) -> Result {
    do throws(TokenCacheError) {
        return try await call()
    } catch {
        throw AcquisitionError(error)
    }
}

extension TokenErrorResponse {
    /// Whether the server asked to send no further requests for a while.
    var asksForTime: Bool { status == 429 || retryAfter != nil }
}
