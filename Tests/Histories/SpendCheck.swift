// SPDX-License-Identifier: Apache-2.0

/// Whether each refresh token was spent once. Only who was killed, or could not store what it got, may have spent one that
/// another one spends again.
package enum SpendCheck {
    package static func violations(of calls: [Call]) -> [String] {
        var spends: [Int: [(time: UInt64, call: Call)]] = [:]
        for call in calls {
            for spend in call.spends { spends[spend.old, default: []].append((spend.time, call)) }
        }
        return spends.sorted { $0.key < $1.key }.compactMap { token, all in
            // Whoever spends a token after one who could store what it got spends one that is gone.
            let ordered = all.sorted { $0.time < $1.time }
            guard let settled = ordered.firstIndex(where: { $0.call.isSettled }), settled + 1 < ordered.count else {
                return nil
            }
            return "refresh token \(token) was spent \(ordered.count) times"
        }
    }
}

extension Call {
    fileprivate var isSettled: Bool {
        switch result {
        case .found, .signedOut: true
        default: false
        }
    }
}
