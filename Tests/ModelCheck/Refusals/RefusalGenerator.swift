// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// Makes sequences of renewals out of a seed. Everything comes out of small alphabets, so that most renewals meet a note.
struct RefusalGenerator {
    private var random: SeededGenerator

    static let accounts = ["u1.t1", "u2.t1"]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func sequence() -> [RefusalStep] {
        // Few servers and accounts in one sequence: else nobody asks the same twice.
        let servers = (0..<2).map { _ in random.pick(RefusalServer.all) }
        let count = Int.random(in: 4...40, using: &random)
        var steps = servers.map { signIn(at: $0) }
        for _ in 0..<count { steps.append(step(servers)) }
        return steps
    }

    private mutating func step(_ servers: [RefusalServer]) -> RefusalStep {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: signIn(at: random.pick(servers))
        case 1..<6: .wait(random.pick(1, 5, 9, 10, 19, 20, 39, 40, 59, 60, 119, 120, 480, 3600, -30))
        default: renewal(at: random.pick(servers))
        }
    }

    private mutating func cache() -> Int { random.pick(0, 0, 1, 1, 2) }

    private mutating func account() -> String { random.once(in: 4) ? Self.accounts[1] : Self.accounts[0] }

    private mutating func signIn(at server: RefusalServer) -> RefusalStep {
        .signIn(
            account: account(),
            host: random.pick(server.hosts),
            tenant: random.pick(server.tenants.compactMap(\.self)),
            lifetime: random.pick(1, 1, 1, 600),
            by: cache()
        )
    }

    private mutating func renewal(at server: RefusalServer) -> RefusalStep {
        let question = RefusalQuestion(
            account: account(),
            host: random.pick(server.hosts),
            tenant: random.pick(server.tenants),
            scopes: random.pick(["a"], ["A"], ["b"], ["a", "b"], ["B", "a"], ["a", "c"]),
            asksForClaims: random.once(in: 10),
            isForced: random.once(in: 8)
        )
        return .renew(question, answer(to: question), by: cache())
    }

    private mutating func answer(to question: RefusalQuestion) -> ServerAnswer {
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<6:
            .granted(
                random.pick(question.scopes, ["a"], ["a", "z"], ["z"]),
                lifetime: random.pick(1, 600, 600),
                rotates: random.once(in: 2)
            )
        case 6..<9: .refused(error: "interaction_required", suberror: random.pick(nil, "basic_action"))
        case 9, 10: .refused(error: "invalid_grant", suberror: nil)
        case 11: .refused(error: "invalid_grant", suberror: "bad_token")
        case 12: random.pick(.ofOtherAccount, .refused(error: "temporarily_unavailable", suberror: nil))
        case 13, 14: .busy(status: random.pick(429, 503), retryAfter: random.pick(nil, 0, 30, 7200))
        default: .unreachable
        }
    }
}
