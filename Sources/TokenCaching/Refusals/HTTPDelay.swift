/// The header `Retry-After` (RFC 9110, section 10.2.3).
enum HTTPDelay {
    /// For how many seconds to wait; nil for what is neither a number of seconds nor a date in the preferred form. A date that
    /// has passed is no time.
    static func seconds(_ header: String, now: Int64) -> Int64? {
        let text = header.utf8.drop(while: ASCIIText.isSpace)
        let trimmed = String(decoding: text.reversed().drop(while: ASCIIText.isSpace).reversed(), as: UTF8.self)
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
        let (day, year, hour, minute, second) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
        guard (1...31).contains(day), (1970...9999).contains(year), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second)
        else { return nil }
        return days(year, Int64(month + 1), day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar, counted in years that begin in March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (year / 400, year % 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
