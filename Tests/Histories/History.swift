// SPDX-License-Identifier: Apache-2.0

/// What several processes did with the accounts of a group.
package struct History: Sendable {
    package private(set) var calls: [Call] = []

    package init(_ calls: [Call] = []) {
        self.calls = calls
    }

    package mutating func add(_ more: [Call]) {
        calls += more
    }

    /// Calls that a kill cut off.
    package var cutOffCount: Int { calls.count { $0.end == nil } }

    /// Calls that ended without saying anything, such as for a busy group.
    package var failureCount: Int {
        calls.count { if case .failed = $0.result { true } else { false } }
    }

    /// Looks for everything that cannot be.
    ///
    /// - Returns: that, and the number of accounts on which so much happened at once that nobody can tell.
    package func judge() -> (violations: [String], undecidedCount: Int) {
        var violations = SpendCheck.violations(of: calls)
        var undecidedCount = 0
        for call in calls {
            if case .impossible(let reason) = call.result {
                violations.append("account \(call.account): \(call.kind.rawValue) ended with \(reason)")
            }
        }
        for account in Set(calls.map(\.account)).sorted() {
            var steps: [Step] = []
            for call in calls where call.account == account { steps += call.steps(after: steps.count) }
            switch LinearizabilityCheck.verdict(on: steps) {
            case .explained: break
            case .undecided: undecidedCount += 1
            case .impossible(let reason): violations.append("account \(account): \(reason)")
            }
        }
        return (violations, undecidedCount)
    }
}
