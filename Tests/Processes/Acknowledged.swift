// SPDX-License-Identifier: Apache-2.0

import Programs

/// The saves that a writer acknowledged: the last number for each account.
struct Acknowledged {
    private(set) var last: [Int: Int] = [:]
    private(set) var highest = -1

    /// From lines of the form "saved account number".
    mutating func add(_ lines: [String]) throws {
        for line in lines where line.hasPrefix("saved ") {
            let parts = line.split(separator: " ").compactMap { Int($0) }
            guard parts.count == 2 else { throw Unfit(reason: "not an acknowledgement: \(line)") }
            last[parts[0]] = parts[1]
            highest = max(highest, parts[1])
        }
    }
}
