// SPDX-License-Identifier: Apache-2.0

/// Relative and absolute times for human readers, from seconds since 1970.
public enum HumanTime {
    /// Such as "in 43 min", "2 h ago" or "now"; "in over 100 y" for times that no server means, such as milliseconds.
    public static func relative(_ moment: Int64, now: Int64) -> String {
        let (difference, overflow) = moment.subtractingReportingOverflow(now)
        if overflow || difference.magnitude >= 100 * 365 * 86_400 { return moment > now ? "in over 100 y" : "long ago" }
        if difference == 0 { return "now" }
        let amount = duration(Int64(difference.magnitude))
        return difference > 0 ? "in " + amount : amount + " ago"
    }

    /// A duration such as "59 s", "43 min", "2 h", "3 d" or "2 y": in the largest unit, rounded down, so that the
    /// output never overstates a lifetime.
    public static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        case ..<63_072_000: "\(seconds / 86_400) d"
        default: "\(seconds / 31_536_000) y"
        }
    }

    /// A time such as "2026-11-21 21:13:05 UTC"; the plain number beyond the calendar's range.
    public static func absolute(_ moment: Int64) -> String {
        guard (-62_135_596_800..<253_402_300_800).contains(moment) else { return "\(moment)" }
        let days = (moment - moment.modulo(86_400)) / 86_400
        let second = moment.modulo(86_400)
        let (year, month, day) = civilDate(days)
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + " " + pad(second / 3_600, 2) + ":"
            + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2) + " UTC"
    }

    /// Both: "2026-11-21 21:13:05 UTC (in 43 min)".
    public static func full(_ moment: Int64, now: Int64) -> String {
        absolute(moment) + " (" + relative(moment, now: now) + ")"
    }

    /// Year, month and day of a day counted from 1970-01-01 in the Gregorian calendar.
    private static func civilDate(_ days: Int64) -> (Int64, Int64, Int64) {
        // Counted from 0000-03-01, so that a leap day is the last of its year.
        let shifted = days + 719_468
        let era = (shifted - shifted.modulo(146_097)) / 146_097
        let dayOfEra = shifted.modulo(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// The remainder that is never negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
