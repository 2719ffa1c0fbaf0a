// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The bytes that have a meaning in the formats.
extension ASCII {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let newline = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
}
