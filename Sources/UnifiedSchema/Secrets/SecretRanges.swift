/// Where the secrets of an entry lie in the bytes that it was read from: raw JSON values, quotes and escapes included.
///
/// The parser copies no secret. Lay them into a ``SecretPayload`` in memory of your choice before the bytes are gone.
package struct SecretRanges: Hashable, Sendable {
    /// In the order of the entry's members.
    package let ranges: [Range<Int>]
    /// Which of them is the token that is handed out.
    package let tokenIndex: Int?

    package init(ranges: [Range<Int>], tokenIndex: Int?) {
        self.ranges = ranges
        self.tokenIndex = tokenIndex
    }

    package static let none = SecretRanges(ranges: [], tokenIndex: nil)

    package var isEmpty: Bool { ranges.isEmpty }
}
