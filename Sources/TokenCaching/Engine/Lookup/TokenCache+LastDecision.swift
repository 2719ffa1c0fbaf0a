// SPDX-License-Identifier: Apache-2.0

extension TokenCache {
    /// The last answer to a query, regardless of later changes; nil if the token has expired or there is no answer.
    /// Used to measure the cost of the check for changes in ``token(for:)``, which is this plus the check.
    package func lastDecision(for query: TokenQuery) -> TokenDecision? {
        let now = ClockReading.now(engine.clock)
        guard let answer = query.answers.load(), answer.isOf(address: engine.address, now: now.seconds) else {
            return nil
        }
        return answer.decision(now: now.seconds)
    }
}
