// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Timestamp {
    /// The time of a date in whole seconds, rounded down, and clamped to the representable range if the date is beyond
    /// it or not a number.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        if seconds.isNaN || seconds <= Double(Int64.min) {
            self.init(secondsSince1970: .min)
        } else if seconds >= Double(Int64.max) {
            self.init(secondsSince1970: .max)
        } else {
            self.init(secondsSince1970: Int64(seconds))
        }
    }
}

extension Date {
    /// The date of a moment.
    ///
    /// ```swift
    /// label.text = Date(token.expiresOn).formatted()
    /// ```
    public init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: Double(timestamp.secondsSince1970))
    }
}
