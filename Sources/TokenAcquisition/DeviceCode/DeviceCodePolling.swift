// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// Decides when to request the tokens of a device code, and when to give up (RFC 8628, section 3.5).
struct DeviceCodePolling {
    private(set) var interval: Duration
    /// What remains of the code's lifetime after the time waited so far.
    private var remaining: Duration
    private let expiresOn: Timestamp

    private static let longestInterval = Duration.seconds(60)

    init(_ authorization: DeviceAuthorization) {
        interval = authorization.interval
        remaining = authorization.lifetime
        expiresOn = authorization.prompt.expiresOn
    }

    /// Deducts the next interval from the lifetime.
    ///
    /// - Returns: how long to wait; nil if the code expires before that.
    mutating func next(now: Timestamp) -> Duration? {
        guard interval < remaining, now.advanced(by: interval) <= expiresOn else { return nil }
        remaining -= interval
        return interval
    }

    enum Step {
        case tokens
        case wait
        case failed(TokenErrorResponse)
    }

    /// Decides what to do after a response.
    mutating func step(_ response: TransportResponse, now: Timestamp) -> Step {
        if response.status == 200 { return .tokens }
        let refusal = response.errorResponse(at: now)
        switch refusal.error {
        case "authorization_pending": return .wait
        case "slow_down":
            interval = min(interval + .seconds(5), max(Self.longestInterval, interval))
            return .wait
        default:
            guard response.status == 408 || response.status == 429 || response.status >= 500 else {
                return .failed(refusal)
            }
            backOff(atLeast: refusal.retryAfter)
            return .wait
        }
    }

    /// Lengthens the interval after a problem of the server or the network.
    mutating func backOff(atLeast delay: Duration? = nil) {
        interval = max(min(interval * 2, Self.longestInterval), delay ?? .zero)
    }
}
