// SPDX-License-Identifier: Apache-2.0

/// The rounds of a random test: every day as many as fit in a time, and a fixed number before a release.
///
/// Prints how many there were. A busy machine makes fewer of them, and never none.
package struct Rounds {
    /// What is printed.
    private let name: String
    private let least: Int
    /// How many there are before a release.
    private let count: Int
    private let end: ContinuousClock.Instant
    /// How many have begun.
    package private(set) var begun = 0

    /// - Parameters:
    ///   - name: what is printed with the number of rounds.
    ///   - time: no further round begins after it. Does not count before a release.
    ///   - least: so many there are, however long they take.
    ///   - count: how many there are before a release.
    package init(_ name: String, within time: Duration, atLeast least: Int = 1, release count: Int) {
        self.name = name
        self.least = least
        self.count = count
        end = .now + time
    }

    /// The number of the next round, from 0; nil after the last one.
    package mutating func next() -> Int? {
        guard Scale.isRelease ? begun < count : begun < least || .now < end else {
            print("\(name): \(begun) rounds")
            return nil
        }
        defer { begun += 1 }
        return begun
    }
}
