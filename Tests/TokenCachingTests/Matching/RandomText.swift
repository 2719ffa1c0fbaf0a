// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Text of letters, of bytes beside them that must not be folded, and of white space; with what is to become of it, worked
/// out byte by byte.
struct RandomText {
    let string: String
    var bytes: [UInt8] { Array(string.utf8) }

    /// - Parameters:
    ///   - length: in bytes.
    ///   - generator: what it follows from.
    init(length: Int, _ generator: inout SeededGenerator) {
        var text = ""
        while text.utf8.count < length {
            let next = "aAbBzZ@[`{\u{0}\u{1}\u{7F} \t\né\u{E1}".unicodeScalars.randomElement(using: &generator) ?? "a"
            if text.utf8.count + String(next).utf8.count <= length { text.unicodeScalars.append(next) }
        }
        string = text
    }

    var words: [[UInt8]] { bytes.split(whereSeparator: ASCII.isWhitespace).map { Array($0) } }

    var trimmed: [UInt8] {
        let tail = bytes.drop(while: ASCII.isWhitespace)
        return Array(tail.reversed().drop(while: ASCII.isWhitespace).reversed())
    }
}
