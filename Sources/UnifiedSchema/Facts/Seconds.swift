// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Times as the SDKs write them: seconds since 1970, as text or as a number, sometimes with a fraction.
package enum Seconds {
    /// Whole seconds, truncating a fraction; nil if the text is not a number or exceeds 64 bits.
    package static func parse(_ text: UTF8Text) -> Int64? {
        parse(text.bytes)
    }

    static func parse(_ bytes: RawSpan) -> Int64? { parse(bytes, by: 1) }

    /// The same in microseconds, rounded, and limited to what 64 bits hold.
    static func parseMicroseconds(_ bytes: RawSpan) -> Int64? { parse(bytes, by: 1_000_000) }

    /// Whole seconds in microseconds, limited to what 64 bits hold.
    @inlinable
    package static func microseconds(_ seconds: Int64) -> Int64 { product(seconds, 1_000_000) }

    @usableFromInline
    static func product(_ seconds: Int64, _ factor: Int64) -> Int64 {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: factor)
        return isTooLarge ? (seconds < 0 ? -.max : .max) : product
    }

    @inline(__always)
    private static func parse(_ bytes: RawSpan, by factor: Int64) -> Int64? {
        let text = bytes.trimmed()
        if let whole = digits(text) { return factor == 1 ? whole : product(whole, factor) }
        return fractional(text, factor)
    }

    /// Parses one to eighteen digits, which is the form of almost every time.
    @inline(__always)
    private static func digits(_ text: RawSpan) -> Int64? {
        guard text.byteCount > 0, text.byteCount <= 18 else { return nil }
        var value: Int64 = 0
        for offset in 0..<text.byteCount {
            let digit = text.byte(at: offset) &- ASCII.zero
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        return value
    }

    private static func fractional(_ text: RawSpan, _ factor: Int64) -> Int64? {
        // Long enough for any time, and restricted to the characters of a decimal number: Double would also accept
        // "nan" and "0x10".
        guard text.byteCount > 0, text.byteCount <= 64 else { return nil }
        var hasDigit = false
        for offset in 0..<text.byteCount {
            switch text.byte(at: offset) {
            case 0x30...0x39: hasDigit = true
            case ASCII.minus, UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): break
            default: return nil
            }
        }
        guard hasDigit, let decimal = String(text) else { return nil }
        // Whole numbers beyond 2^53 would lose precision in a Double.
        if let whole = Int64(decimal) { return product(whole, factor) }
        guard let value = Double(decimal), abs(value) < 9.2e18 else { return nil }
        let scaled = (value * Double(factor)).rounded(factor == 1 ? .towardZero : .toNearestOrEven)
        return abs(scaled) < 9.2e18 ? Int64(scaled) : product(Int64(value), factor)
    }
}
