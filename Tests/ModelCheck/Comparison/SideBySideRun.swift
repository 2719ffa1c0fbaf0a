// SPDX-License-Identifier: Apache-2.0

import TokenCaching

/// A cache and a model of it that do the same steps.
protocol SideBySideRun {
    associatedtype Step: CustomStringConvertible

    /// What happened how often.
    var counts: [String: Int] { get }

    /// - Parameter root: where the cache has its file; nil for one in memory.
    /// - Throws: what opening the cache meets.
    init(root: String?) throws(TokenCacheError)

    /// Does one step on both sides; says how they differ.
    mutating func perform(_ step: Step) throws(TokenCacheError) -> String?
}

extension SideBySideRun {
    /// The first disagreement; nil where there is none.
    mutating func disagreement(in steps: [Step]) -> Disagreement? {
        for (number, step) in steps.enumerated() {
            do throws(TokenCacheError) {
                if let sentence = try perform(step) { return Disagreement(step: number, sentence: sentence) }
            } catch {
                return Disagreement(step: number, sentence: "throwing \(error.code): \(error)")
            }
        }
        return nil
    }
}
