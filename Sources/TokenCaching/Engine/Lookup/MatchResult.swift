/// What the facts say about a query at one moment, and how long they will say so.
struct MatchResult: Sendable {
    enum Outcome: Sendable {
        /// Hand out the access token of this row.
        case valid(row: Int)
        /// Spend the refresh token of this row; the access token of the other one is still good.
        case renew(row: Int, stillValid: Int?)
        case interaction(InteractionReason)
    }

    var outcome: Outcome
    /// While from ≤ now < until, the same facts give the same verdict. Seconds since 1970.
    var from = Int64.min
    var until = Int64.max
    /// From when on the access token should be renewed, although it is good.
    var renewFrom = Int64.max
    /// The access token has ended; only its extended lifetime has not.
    var isExtended = false
    /// Whether the group's app metadata was asked.
    var dependsOnGroup = false
}
