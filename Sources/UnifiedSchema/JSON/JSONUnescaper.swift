// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Produces the text of a JSON string byte by byte, so that the caller decides into which memory it is written.
///
/// Never produces more bytes than the content has. If the content is not valid, for example because no JSON writer
/// wrote it, it sets `failed` and ends.
struct JSONUnescaper {
    /// How an escaped surrogate without a partner is treated.
    enum LoneSurrogates {
        /// The conversion fails.
        case refused
        /// It becomes the three bytes that UTF-8 would use if it could. Never displayed; used to compare names.
        case kept
    }

    private let loneSurrogates: LoneSurrogates
    private var offset = 0
    /// The remaining bytes of a sequence, the next one lowest.
    private var pending: UInt32 = 0
    private var pendingCount = 0
    private(set) var failed = false

    init(_ loneSurrogates: LoneSurrogates) {
        self.loneSurrogates = loneSurrogates
    }

    /// The next byte; nil at the end. `content` must be the same at each call.
    mutating func next(of content: RawSpan) -> UInt8? {
        if pendingCount > 0 {
            defer {
                pending >>= 8
                pendingCount -= 1
            }
            return UInt8(truncatingIfNeeded: pending)
        }
        guard !failed, offset < content.byteCount else { return nil }
        let byte = content.byte(at: offset)
        offset += 1
        guard byte == ASCII.backslash else { return byte }
        return escape(content)
    }

    private mutating func escape(_ content: RawSpan) -> UInt8? {
        guard offset < content.byteCount else { return fail() }
        let kind = content.byte(at: offset)
        offset += 1
        switch kind {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case ASCII.quote, ASCII.backslash, UInt8(ascii: "/"): return kind
        case UInt8(ascii: "u"):
            guard var scalar = codeUnit(content, at: offset) else { return fail() }
            offset += 4
            if scalar & 0xFC00 == 0xD800, let low = lowSurrogate(content) {
                scalar = 0x10000 + ((scalar & 0x3FF) << 10 | low & 0x3FF)
                offset += 6
            } else if scalar & 0xF800 == 0xD800, loneSurrogates == .refused {
                return fail()
            }
            return begin(scalar)
        default: return fail()
        }
    }

    private mutating func fail() -> UInt8? {
        failed = true
        return nil
    }

    private func codeUnit(_ content: RawSpan, at start: Int) -> UInt32? {
        guard start + 4 <= content.byteCount else { return nil }
        var unit: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = JSONString.hexDigit(content.byte(at: index)) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    private func lowSurrogate(_ content: RawSpan) -> UInt32? {
        guard offset + 6 <= content.byteCount, content.byte(at: offset) == ASCII.backslash,
            content.byte(at: offset + 1) == UInt8(ascii: "u"), let unit = codeUnit(content, at: offset + 2),
            unit & 0xFC00 == 0xDC00
        else { return nil }
        return unit
    }

    /// Returns the first byte of a scalar and keeps the others for later.
    private mutating func begin(_ scalar: UInt32) -> UInt8 {
        if scalar < 0x80 { return UInt8(scalar) }
        if scalar < 0x800 {
            (pending, pendingCount) = (0x80 | scalar & 0x3F, 1)
            return UInt8(0xC0 | scalar >> 6)
        }
        if scalar < 0x10000 {
            (pending, pendingCount) = (0x80 | scalar >> 6 & 0x3F | (0x80 | scalar & 0x3F) << 8, 2)
            return UInt8(0xE0 | scalar >> 12)
        }
        pending = 0x80 | scalar >> 12 & 0x3F | (0x80 | scalar >> 6 & 0x3F) << 8 | (0x80 | scalar & 0x3F) << 16
        pendingCount = 3
        return UInt8(0xF0 | scalar >> 18)
    }
}
