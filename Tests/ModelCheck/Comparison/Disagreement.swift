// SPDX-License-Identifier: Apache-2.0

/// Where the cache and the model part.
struct Disagreement {
    /// The operation after which they differ.
    let step: Int
    let sentence: String

    /// What kind of difference it is: shrinking keeps it.
    var kind: Substring { sentence.prefix { $0 != " " } }
}
