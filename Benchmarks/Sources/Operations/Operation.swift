// SPDX-License-Identifier: Apache-2.0

/// One thing that users of the library have done, in a form that can be repeated and measured.
public struct Operation {
    /// Without spaces and slashes, so that every tool can name it.
    public let name: String
    /// How often it is done for one figure.
    public let rounds: Int
    /// Whether another application of the family does it.
    public let asksAsSibling: Bool
    /// What a round needs, done before it and never measured.
    let prepare: (Int) throws -> Void
    /// One round.
    let body: (Int) throws -> Void
    /// One round, where it is asynchronous.
    let asynchronousBody: (nonisolated(nonsending) (Int) async throws -> Void)?

    init(
        _ name: String,
        rounds: Int,
        asSibling: Bool = false,
        preparing prepare: @escaping (Int) throws -> Void = { _ in },
        _ body: @escaping (Int) throws -> Void
    ) {
        self.name = name
        self.rounds = rounds
        asksAsSibling = asSibling
        self.prepare = prepare
        self.body = body
        asynchronousBody = nil
    }

    /// One whose rounds are asynchronous, and run where the caller does.
    init(
        _ name: String,
        rounds: Int,
        asynchronously body: nonisolated(nonsending) @escaping (Int) async throws -> Void
    ) {
        self.name = name
        self.rounds = rounds
        asksAsSibling = false
        prepare = { _ in }
        self.body = { _ in throw UnexpectedOutcome(operation: name) }
        asynchronousBody = body
    }

    /// Whether each round needs something of its own beforehand.
    public var isPreparedEachRound: Bool { rounds <= Operation.fewRounds }

    private static let fewRounds = 8

    /// How often it is counted, for the least of the counts: what happens by the clock is in some of them only.
    public var attempts: Int { isPreparedEachRound ? 1 : isLookup ? 3 : 2 }

    /// Whether it only looks up what was asked before.
    public var isLookup: Bool { name.hasPrefix("hit-") || name.hasPrefix("renew-valid") }

    /// Whether its rounds are asynchronous.
    public var isAsynchronous: Bool { asynchronousBody != nil }

    /// Does one round more than is counted, so that the first that counts is like the others.
    public func warmUp() throws {
        try prepare(rounds)
        try body(rounds)
    }

    /// Makes ready for a round.
    public func prepare(_ round: Int) throws {
        try prepare(round)
    }

    /// Does one round.
    public func run(_ round: Int) throws {
        try body(round)
    }

    /// Does asynchronous rounds, where the caller runs.
    nonisolated(nonsending) public func runAsynchronously(_ rounds: Range<Int>) async throws {
        guard let asynchronousBody else { return try run(rounds) }
        for round in rounds { try await asynchronousBody(round) }
    }

    /// Does rounds that need nothing beforehand.
    public func run(_ rounds: Range<Int>) throws {
        for round in rounds { try body(round) }
    }
}

/// An operation did something else than what it is there to measure.
public struct UnexpectedOutcome: Error {
    let operation: String

    /// What `operation` names did not do what it is for.
    public init(operation: String) {
        self.operation = operation
    }
}
