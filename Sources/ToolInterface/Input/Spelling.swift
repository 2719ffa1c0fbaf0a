// SPDX-License-Identifier: Apache-2.0

/// Suggests an existing word for a mistyped one.
public enum Spelling {
    /// The word that differs in the fewest letters; nil if every word differs in more than a third of its letters. Another
    /// letter in place of one counts twice; a domain that two usernames share does not count.
    public static func nearest(to word: String, among words: [String]) -> String? {
        let typed = word.lowercased().prefix(64)
        let near = words.compactMap { (other) -> (word: String, distance: Int)? in
            var (own, others) = (typed, other.lowercased()[...])
            if let at = own.firstIndex(of: "@"), others.hasSuffix(own[at...]) {
                others = others.dropLast(own[at...].count)
                own = own[..<at]
            }
            let distance = own.difference(from: others).count
            return distance <= others.count / 3 * 2 ? (other, distance) : nil
        }
        return near.min { $0.distance < $1.distance }?.word
    }
}
