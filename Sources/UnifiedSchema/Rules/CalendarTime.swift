// SPDX-License-Identifier: Apache-2.0

/// Times of the Gregorian calendar, as servers and libraries write them.
package enum CalendarTime {
    /// Seconds since the beginning of 1970, in the time zone in which the numbers are given; nil if they are not a
    /// valid time.
    package static func seconds(
        year: Int64,
        month: Int64,
        day: Int64,
        hour: Int64,
        minute: Int64,
        second: Int64
    ) -> Int64? {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        return days(year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// A time in UTC, such as `2026-11-27T09:30:00Z`.
    package static func text(of seconds: Int64) -> String {
        let day = Int64((Double(seconds) / 86_400).rounded(.down))
        let second = seconds - day * 86_400
        // Days are counted from the 1st of March of the year 0, so that leap days come last.
        let days = day + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        let parts = [month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1]
        func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = ["\(year)"] + parts.map(padded)
        let time = [second / 3_600, second / 60 % 60, second % 60].map(padded)
        return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
    }

    /// Days since 1 January 1970, computed with years that begin in March.
    private static func days(_ year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
