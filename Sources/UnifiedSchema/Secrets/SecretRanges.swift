// SPDX-License-Identifier: Apache-2.0

/// The ranges of an entry's secrets in the input from which it was read: raw JSON values, including quotes and escapes.
///
/// The parser copies no secret. Write them into a ``SecretPayload`` in memory of your choice before the input is gone.
package struct SecretRanges: Hashable, Sendable {
    /// In the order of the entry's members.
    package let ranges: [Range<Int>]
    /// The index of the token that lookups return.
    package let tokenIndex: Int?

    package init(ranges: [Range<Int>], tokenIndex: Int?) {
        self.ranges = ranges
        self.tokenIndex = tokenIndex
    }

    package var isEmpty: Bool { ranges.isEmpty }
}
