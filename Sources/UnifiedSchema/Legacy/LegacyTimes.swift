// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Times as ADAL for Python writes them: `2026-11-21 23:30:00.123456`, in the local time of the writer.
///
/// The time zone is unknown. They are suitable only for comparing entries of one file and of copies of it.
enum LegacyTimes {
    /// Seconds since the beginning of 1970 in that unknown time zone; nil if the text is not such a time.
    static func parse(_ text: UTF8Text) -> Int64? {
        let bytes = Array(text.trimmed().utf8)
        guard bytes.count >= 19, bytes[4] == ASCII.minus, bytes[7] == ASCII.minus,
            bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"), bytes[13] == ASCII.colon,
            bytes[16] == ASCII.colon, let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19])
        else { return nil }
        return CalendarTime.seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}
