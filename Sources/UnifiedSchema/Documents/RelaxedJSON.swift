// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Turns JSON that the .NET libraries accept into strict JSON: a trailing comma after the last member, and a byte order
/// mark at the beginning, become white space, so that nothing else moves.
///
/// Processes a document in pieces and tracks only where strings begin and end: the document's reader checks whether it
/// is JSON at all.
package struct RelaxedJSON: Sendable {
    private var isInString = false
    private var isEscaped = false
    /// Whether a comma here would follow a value.
    private var isBehindValue = false

    package init() {}

    /// The byte order mark that some programs write before UTF-8 text.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Processes the next bytes of the document and blanks commas before closing brackets.
    ///
    /// - Returns: the offset of the last comma if only white space follows it, because the next byte decides whether it
    ///   is trailing; otherwise nil.
    package mutating func tidy(_ bytes: inout MutableRawSpan, _ range: Range<Int>) -> Int? {
        var position = range.lowerBound
        var comma: Int?
        while position < range.upperBound {
            if isInString {
                position = behindString(bytes.bytes, start: position, end: range.upperBound)
                continue
            }
            switch bytes.bytes.byte(at: position) {
            case 0x20, 0x09, 0x0A, 0x0D: break
            case ASCII.comma:
                comma = isBehindValue ? position : nil
                isBehindValue = false
            case ASCII.closeBrace, ASCII.closeBracket:
                if let comma { bytes.storeBytes(of: UInt8(ascii: " "), toByteOffset: comma, as: UInt8.self) }
                comma = nil
                isBehindValue = true
            case ASCII.openBrace, ASCII.openBracket, ASCII.colon:
                comma = nil
                isBehindValue = false
            case ASCII.quote:
                comma = nil
                isInString = true
                isBehindValue = true
            default:
                comma = nil
                isBehindValue = true
            }
            position += 1
        }
        return comma
    }

    /// Whether a byte after a comma and white space shows that the comma is trailing; nil for white space.
    package static func closes(_ byte: UInt8) -> Bool? {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: nil
        default: byte == ASCII.closeBrace || byte == ASCII.closeBracket
        }
    }

    private mutating func behindString(_ bytes: RawSpan, start: Int, end: Int) -> Int {
        let piece = bytes.extracting(0..<end)
        var position = start
        if isEscaped {
            isEscaped = false
            position += 1
        }
        while position < end {
            position = piece.endOfPlainText(from: position)
            guard position < end else { break }
            switch piece.byte(at: position) {
            case ASCII.quote:
                isInString = false
                return position + 1
            case ASCII.backslash where position + 1 == end:
                isEscaped = true
                return end
            case ASCII.backslash: position += 2
            default: position += 1
            }
        }
        return position
    }
}
