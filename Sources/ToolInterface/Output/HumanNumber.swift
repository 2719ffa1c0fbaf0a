// SPDX-License-Identifier: Apache-2.0

/// Counts and sizes for human readers.
public enum HumanNumber {
    /// Such as "1,234,567".
    public static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.utf8.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return (number < 0 ? "-" : "") + result
    }

    /// Such as "1 entry" or "12 entries".
    public static func count(_ number: Int, one: String, many: String) -> String {
        count(number) + " " + (number == 1 ? one : many)
    }

    /// Such as "812 B", "4.0 KiB" or "1.5 GiB".
    public static func bytes(_ number: Int) -> String {
        if number < 1_024 { return "\(number) B" }
        var unit = 0
        var scaled = number
        // Tenths are computed with integers: no rounding surprises, no formatting library.
        while scaled >= 1_024 * 1_024 && unit < 3 {
            scaled /= 1_024
            unit += 1
        }
        let tenths = scaled * 10 / 1_024
        return "\(count(tenths / 10)).\(tenths % 10) \(["KiB", "MiB", "GiB", "TiB"][unit])"
    }
}
