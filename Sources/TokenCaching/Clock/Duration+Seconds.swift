// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Whole seconds, rounded down and clamped to the representable range.
    var secondsRoundedDown: Int64 {
        if self >= .seconds(Int64.max) { return .max }
        if self <= .seconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return attoseconds < 0 ? seconds - 1 : seconds
    }

    /// Whole seconds, rounded up and clamped to the representable range.
    var secondsRoundedUp: Int64 {
        if self >= .seconds(Int64.max) { return .max }
        if self <= .seconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return attoseconds > 0 ? seconds + 1 : seconds
    }
}
