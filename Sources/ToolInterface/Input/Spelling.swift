// SPDX-License-Identifier: Apache-2.0

/// Suggests an existing word for a mistyped one.
public enum Spelling {
    /// The word that differs in the fewest letters; nil if every word differs in more than a third of its letters. A domain
    /// that two usernames share does not count.
    public static func nearest(to word: String, among words: [String]) -> String? {
        let typed = word.lowercased()
        let near = words.compactMap { (other) -> (word: String, distance: Int)? in
            var (own, others) = (typed[...], other.lowercased()[...])
            if let at = own.firstIndex(of: "@"), others.hasSuffix(own[at...]) {
                others = others.dropLast(own[at...].count)
                own = own[..<at]
            }
            let distance = distance(own, others)
            return distance * 3 <= others.count ? (other, distance) : nil
        }
        return near.min { $0.distance < $1.distance }?.word
    }

    /// The number of letters to insert, remove, replace or swap with a neighbour to turn one word into the other
    /// (optimal string alignment).
    private static func distance(_ one: Substring, _ other: Substring) -> Int {
        let (one, other) = (Array(one.prefix(64)), Array(other))
        var (beforeLast, last) = ([Int](), Array(0...other.count))
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, counterpart) in other.enumerated() {
                var best = min(
                    last[column] + (letter == counterpart ? 0 : 1),
                    last[column + 1] + 1,
                    current[column] + 1
                )
                if row > 0, column > 0, letter == other[column - 1], counterpart == one[row - 1] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
