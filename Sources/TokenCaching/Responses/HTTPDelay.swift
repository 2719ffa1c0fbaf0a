// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// The header `Retry-After` (RFC 9110, section 10.2.3).
enum HTTPDelay {
    /// The number of seconds to wait; nil if the header is neither a number of seconds nor a date in the preferred
    /// form. A date in the past means no delay.
    static func seconds(_ header: String, now: Int64) -> Int64? {
        let text = header.utf8.drop(while: ASCII.isWhitespace)
        let trimmed = String(decoding: text.reversed().drop(while: ASCII.isWhitespace).reversed(), as: UTF8.self)
        if !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return Int64(trimmed) ?? .max
        }
        return date(trimmed).map { max(0, $0 - now) }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Int64? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "," })
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let numbers = [parts[1], parts[3], parts[4], parts[5], parts[6]].map { Int64($0) ?? -1 }
        guard numbers[1] >= 1970 else { return nil }
        return CalendarTime.seconds(
            year: numbers[1],
            month: Int64(month + 1),
            day: numbers[0],
            hour: numbers[2],
            minute: numbers[3],
            second: numbers[4]
        )
    }
}
