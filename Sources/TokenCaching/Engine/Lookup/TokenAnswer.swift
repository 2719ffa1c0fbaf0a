// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The answer to a query: the result, the facts that it was computed from, and the revision of the store up to which it
/// is valid.
///
/// Immutable except for that revision. A token that was handed out retains nothing but the answer.
final class TokenAnswer: Sendable {
    // The fields that a repeated hit reads come first, to share a cache line with the object's header.

    /// The newest revision at which the answer is known to be valid.
    private let validRevision: Atomic<UInt64>
    /// The address of the engine that gave the answer. No other engine can have it while this object retains the
    /// engine.
    private let engineAddress: UInt
    private let from: Int64
    private let until: Int64
    private let renewFrom: Int64

    let matchResult: MatchResult
    let engine: Engine
    let terms: PreparedQuery
    let facts: PartitionFacts
    /// The group's facts, if the result depends on them.
    let group: PartitionFacts?

    init(
        _ matchResult: MatchResult,
        at revision: UInt64,
        engine: Engine,
        terms: PreparedQuery,
        facts: PartitionFacts,
        group: PartitionFacts?
    ) {
        validRevision = Atomic(revision)
        engineAddress = engine.address
        from = matchResult.from
        until = matchResult.until
        renewFrom = matchResult.renewFrom
        self.matchResult = matchResult
        self.engine = engine
        self.terms = terms
        self.facts = facts
        self.group = group
    }

    /// Whether the engine would still give the same answer.
    @inline(__always)
    func isValid(at revision: UInt64, address: UInt, now: Int64) -> Bool {
        validRevision.load(ordering: .relaxed) == revision && engineAddress == address && from <= now && now < until
    }

    /// Whether the answer is a token that need not be renewed yet.
    @inline(__always)
    func hasReusableToken(now: Int64) -> Bool {
        guard case .valid = matchResult.outcome else { return false }
        return now < renewFrom
    }

    /// Whether an engine at this address gave the answer and it is valid at this time.
    func isOf(address: UInt, now: Int64) -> Bool {
        engineAddress == address && from <= now && now < until
    }

    /// The token, if ``hasReusableToken(now:)`` returns true.
    @inline(__always)
    var reusableToken: AccessToken? {
        guard case .valid(let row) = matchResult.outcome else { return nil }
        return AccessToken(answer: self, row: Int32(truncatingIfNeeded: row), shouldRenew: false, staleness: nil)
    }

    /// Records that nothing on which the answer depends changed up to `revision`.
    func confirm(at revision: UInt64) {
        validRevision.store(revision, ordering: .relaxed)
    }

    /// The answer as callers receive it.
    @inline(__always)
    func decision(now: Int64, staleness: StaleReason? = nil) -> TokenDecision {
        switch matchResult.outcome {
        case .valid(let row):
            return .valid(token(row, now: now, staleness: staleness))
        case .renew(let row, let stillValid):
            return .renew(
                RefreshToken(answer: self, row: Int32(truncatingIfNeeded: row)),
                stillValid: stillValid.map { token($0, now: now, staleness: staleness) }
            )
        case .interaction(let reason):
            return .interactionRequired(reason)
        }
    }

    @inline(__always)
    private func token(_ row: Int, now: Int64, staleness: StaleReason?) -> AccessToken {
        AccessToken(
            answer: self,
            row: Int32(truncatingIfNeeded: row),
            shouldRenew: renewFrom <= now,
            staleness: staleness
        )
    }
}
