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
        percentDecoded(encoded.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }

    /// The text that a part of a URL stands for; nil if it is malformed.
    static func percentDecoded(_ encoded: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(bytes.rawSpan)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
