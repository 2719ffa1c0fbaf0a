// SPDX-License-Identifier: Apache-2.0

/// What a check found in one history.
struct HistoryFigures {
    /// What cannot be.
    let violations: [String]
    let callCount: Int
    /// Calls that a kill cut off.
    let cutOffCount: Int
    /// Calls that ended without an answer.
    let failureCount: Int
    /// Accounts on which so much happened at once that nobody can tell.
    let undecidedCount: Int

    /// From what group-worker says.
    init?(_ lines: [String]) {
        let numbers = lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        guard numbers.count == 4 else { return nil }
        violations = Array(lines.dropLast())
        (callCount, cutOffCount) = (numbers[0], numbers[1])
        (failureCount, undecidedCount) = (numbers[2], numbers[3])
    }
}
