// SPDX-License-Identifier: Apache-2.0

import Glibc

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
        // SAFETY: both values outlive the call; the text that one of them points to is not read.
        var (seconds, time) = unsafe (time_t(moment), tm())
        _ = unsafe gmtime_r(&seconds, &time)
        let (year, month, day) = unsafe (time.tm_year + 1_900, time.tm_mon + 1, time.tm_mday)
        let (hour, minute, second) = unsafe (time.tm_hour, time.tm_min, time.tm_sec)
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + " " + pad(hour, 2) + ":" + pad(minute, 2) + ":"
            + pad(second, 2) + " UTC"
    }

    /// Both: "2026-11-21 21:13:05 UTC (in 43 min)".
    public static func full(_ moment: Int64, now: Int64) -> String {
        absolute(moment) + " (" + relative(moment, now: now) + ")"
    }

    private static func pad(_ number: Int32, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
