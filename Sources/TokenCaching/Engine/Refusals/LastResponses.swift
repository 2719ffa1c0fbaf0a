// SPDX-License-Identifier: Apache-2.0

/// The servers' last responses about refresh tokens that were removed. A thread of this process that waits while
/// another thread redeems a token finds the token removed, and no note says why.
struct LastResponses: Sendable {
    /// By the numbers of the tokens' leases, the oldest first.
    private var responses: [(number: UInt64, response: TokenErrorResponse)] = []
    /// Beyond this many the oldest is dropped: waiting threads look the response up at once.
    static let limit = 64

    subscript(number: UInt64) -> TokenErrorResponse? { responses.last { $0.number == number }?.response }

    mutating func keep(_ response: TokenErrorResponse, of number: UInt64) {
        responses.removeAll { $0.number == number }
        responses.append((number, response))
        if responses.count > Self.limit { responses.removeFirst() }
    }
}
