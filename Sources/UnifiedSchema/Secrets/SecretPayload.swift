// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The secrets of one entry in sequence, as they are sealed: counts and lengths, then the raw JSON values.
///
///     0     version, 1
///     1     number of values, 1 to 16
///     2     index of the token that is handed out, 255 if there is none
///     3     zero
///     4     length of each value, 4 bytes little-endian
///     …     the values, in the order of the entry's members
///
/// The caller provides all memory; no function here copies a secret anywhere else.
package enum SecretPayload {
    package static let version: UInt8 = 1
    package static let maximumCount = 16
    private static let noToken: UInt8 = 255

    /// The location of the token in a payload.
    package struct Token: Hashable, Sendable {
        /// The range of its string's content, without the quotes.
        package let range: Range<Int>
        /// Whether ``SecretPayload/unescape(_:in:into:)`` is needed; otherwise the bytes of the range are the token.
        package let hasEscapes: Bool
    }

    /// The number of bytes that ``write(_:of:into:)`` needs.
    package static func byteCount(_ secrets: SecretRanges) -> Int {
        secrets.ranges.reduce(4 + 4 * secrets.ranges.count) { $0 + $1.count }
    }

    /// Writes the secrets into `output`, which must have room for ``byteCount(_:)`` bytes. `source` is the input from
    /// which the entry was read.
    @_lifetime(output: copy output)
    package static func write(_ secrets: SecretRanges, of source: RawSpan, into output: inout OutputRawSpan) {
        writeHead(count: secrets.ranges.count, tokenIndex: secrets.tokenIndex, into: &output)
        for range in secrets.ranges { writeLength(range.count, into: &output) }
        for range in secrets.ranges {
            output.append(source.extracting(range))
        }
    }

    @_lifetime(output: copy output)
    private static func writeHead(count: Int, tokenIndex: Int?, into output: inout OutputRawSpan) {
        output.append(byte: version)
        output.append(byte: UInt8(count))
        output.append(byte: tokenIndex.map(UInt8.init) ?? noToken)
        output.append(byte: 0)
    }

    @_lifetime(output: copy output)
    private static func writeLength(_ length: Int, into output: inout OutputRawSpan) {
        for index in 0..<4 { output.append(byte: UInt8(truncatingIfNeeded: length >> (8 * index))) }
    }

    /// The ranges of the raw JSON values in a payload, in the order of the entry's members.
    package static func values(in payload: RawSpan) throws(SchemaError) -> [Range<Int>] {
        let count = try valueCount(payload)
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(count)
        var start = 4 + 4 * count
        for index in 0..<count {
            let end = start + length(payload, index)
            guard end <= payload.byteCount else { throw malformed(4 + 4 * index) }
            ranges.append(start..<end)
            start = end
        }
        guard start == payload.byteCount else { throw malformed(start) }
        return ranges
    }

    /// The location of the token. Reads only lengths and, once, searches for a backslash.
    package static func token(in payload: RawSpan) throws(SchemaError) -> Token? {
        let count = try valueCount(payload)
        let wanted = payload.byte(at: 2)
        if wanted == noToken { return nil }
        guard wanted < count else { throw malformed(2) }
        var start = 4 + 4 * count
        for index in 0..<Int(wanted) { start += length(payload, index) }
        let end = start + length(payload, Int(wanted))
        guard end <= payload.byteCount, end - start >= 2, payload.byte(at: start) == ASCII.quote,
            payload.byte(at: end - 1) == ASCII.quote
        else { throw malformed(2) }
        let range = start + 1..<end - 1
        return Token(range: range, hasEscapes: payload.extracting(range).contains(ASCII.backslash))
    }

    /// Writes the text of a token into `output`, which must have room for as many bytes as its range has: escapes only
    /// make it longer.
    ///
    /// - Throws: `invalidEntry` if it contains a lone surrogate.
    @_lifetime(output: copy output)
    package static func unescape(
        _ token: Token,
        in payload: RawSpan,
        into output: inout OutputRawSpan
    ) throws(SchemaError) {
        guard token.range.upperBound <= payload.byteCount else { throw malformed(token.range.upperBound) }
        let content = payload.extracting(token.range)
        var unescaper = JSONUnescaper(.refused)
        while let byte = unescaper.next(of: content) {
            output.append(byte: byte)
        }
        if unescaper.failed {
            throw SchemaError(.invalidEntry, at: token.range.lowerBound, rule: "a token must be text")
        }
    }

    private static func valueCount(_ payload: RawSpan) throws(SchemaError) -> Int {
        guard payload.byteCount >= 4 else { throw malformed(payload.byteCount) }
        guard payload.byte(at: 0) == version else {
            throw SchemaError(.unsupportedVersion, at: 0, rule: "a secret payload of this version is not supported")
        }
        let count = Int(payload.byte(at: 1))
        guard count <= maximumCount, payload.byteCount >= 4 + 4 * count else { throw malformed(1) }
        return count
    }

    private static func length(_ payload: RawSpan, _ index: Int) -> Int {
        Int(truncatingIfNeeded: payload.partialWord(at: 4 + 4 * index, count: 4))
    }

    private static func malformed(_ offset: Int) -> SchemaError {
        SchemaError(.malformedFacts, at: offset, rule: "a secret payload contains invalid counts or lengths")
    }
}
