// SPDX-License-Identifier: Apache-2.0

/// The deadlines for work on many accounts.
///
/// A sign-in concerns a few items, and is done by the deadline of the call. An import of hundreds of accounts reads and
/// changes as many keyring items, and some services rewrite their whole file for each. So each item after the first
/// eight gets the same time again: a hanging service is still detected promptly, while a working one may continue.
package struct PerItemDeadlines: Sendable {
    /// The number of items that share the deadline of the call.
    package static let usualItemCount = 8

    private let end: Deadline
    private let allowance: Duration

    /// - Parameter deadline: the deadline of the call. Each later item gets the time left until then, at least one
    ///   second.
    package init(until deadline: Deadline) {
        end = deadline
        allowance = max(deadline.remaining, .seconds(1))
    }

    /// The deadline of item number `index`, if it begins now.
    package func deadline(ofItem index: Int) -> Deadline {
        index < Self.usualItemCount ? end : max(end, .after(allowance))
    }
}
