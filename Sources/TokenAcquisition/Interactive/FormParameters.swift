// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The parameters of a form or a query, decoded.
enum FormParameters {
    static let maximumByteCount = 1 << 16
    private static let maximumCount = 64

    /// The parameters by name; nil if they are too large or malformed, or if a name is repeated, which RFC 6749
    /// (section 3.1) forbids: choosing one of the values would be a guess.
    static func decoded(_ bytes: [UInt8]) -> [String: String]? {
        guard bytes.count <= maximumByteCount else { return nil }
        let fields = bytes.split(separator: UInt8(ascii: "&"))
        guard fields.count <= maximumCount else { return nil }
        var parameters: [String: String] = [:]
        for field in fields {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = text(parts[0]), let value = parts.count > 1 ? text(parts[1]) : "",
                parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return parameters
    }

    private static func text(_ encoded: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(bytes.rawSpan)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
