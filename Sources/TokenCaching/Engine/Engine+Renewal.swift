// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension Engine {
    /// The maximum number of refresh tokens of one account that are compared to find the next one.
    private static let comparedTokenLimit = 64

    /// The next refresh token, after the given one, among those that the same query may redeem, with a different secret
    /// from all before it.
    ///
    /// Some SDKs store one token twice, as the client's own and as the family's. A token that the server refused once
    /// should not be sent again.
    func refreshToken(after row: Int32, of answer: TokenAnswer) throws(StorageError) -> Int? {
        let order = try refreshTokens(of: answer)
        guard let position = order.firstIndex(of: Int(row)) else { return nil }
        var redeemed: [KnownSecret] = []
        for index in order.indices {
            guard let known = try answer.facts.openTokenIfReadable(of: order[index]) else { continue }
            let isNew = !redeemed.contains { $0.secret.isEqual(to: known.secret) }
            if index > position, isNew { return order[index] }
            redeemed.append(known)
        }
        return nil
    }

    /// The refresh tokens that a query may redeem, in order.
    ///
    /// - Parameters:
    ///   - answer: the answer to the query.
    ///   - deadline: the deadline of the call that this is part of; nil for a new one.
    /// - Returns: their rows.
    /// - Throws: errors of reading the group.
    func refreshTokens(of answer: TokenAnswer, until deadline: Deadline? = nil) throws(StorageError) -> [Int] {
        let now = ClockReading.now(clock)
        let freshness = try freshen(now, until: deadline ?? newDeadline())
        let families = ClientFamilies(group: try facts(of: groupPartition, freshness), client: clientBytes)
        let match = QueryMatch(answer.terms, answer.facts, client: clientBytes)
        return Array(match.refreshTokens(families, now: now.seconds).prefix(Engine.comparedTokenLimit))
    }
}
