extension TokenCache {
    /// What the last answer to a query said, whatever has changed since; nil if the token has ended or there is no
    /// answer. There to measure what the check for changes costs in ``token(for:)``, which is this and the check.
    package func lastDecision(for query: TokenQuery) -> TokenDecision? {
        let now = ClockReading.now(engine.clock)
        guard let answer = query.answers.load(), answer.isOf(address: engine.address, now: now.seconds) else {
            return nil
        }
        return answer.decision(now: now.seconds)
    }
}
