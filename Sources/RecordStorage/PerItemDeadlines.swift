/// The time for work on many accounts.
///
/// A sign-in concerns a few, and is done by the deadline. An import of hundreds of accounts reads and changes as many items
/// of a keyring, and some services write their whole file for each of them: there each item beyond the first eight gets as
/// much time again, so that a service that hangs is noticed as soon as ever and one that works may go on.
package struct PerItemDeadlines: Sendable {
    /// So many are done by the deadline.
    package static let usualItemCount = 8

    private let end: Deadline
    private let allowance: Duration

    /// - Parameter deadline: of the call. What is left until then is what each later item gets, and one second at least.
    package init(until deadline: Deadline) {
        end = deadline
        allowance = max(deadline.remaining, .seconds(1))
    }

    /// By when the `index`th item has to be done, if it begins now.
    package func deadline(ofItem index: Int) -> Deadline {
        index < Self.usualItemCount ? end : max(end, .after(allowance))
    }
}
