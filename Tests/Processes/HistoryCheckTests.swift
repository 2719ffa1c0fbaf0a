// SPDX-License-Identifier: Apache-2.0

import Histories
import Testing

/// The check of histories finds what is wrong, and nothing else.
@Suite("checks of histories")
struct HistoryCheckTests {
    struct Sample: Sendable, CustomStringConvertible {
        let description: String
        let calls: [Call]

        init(_ description: String, _ calls: Call...) {
            self.description = description
            self.calls = calls
        }
    }

    private static func save(_ number: Int, _ begin: UInt64, _ end: UInt64?) -> Call {
        Call(.save, number: number, (begin, end), end == nil ? nil : .done)
    }

    private static func leave(_ begin: UInt64, _ end: UInt64?) -> Call {
        Call(.leave, (begin, end), end == nil ? nil : .done)
    }

    private static func look(_ begin: UInt64, _ end: UInt64, _ result: CallResult) -> Call {
        Call(.token, (begin, end), result)
    }

    private static func renew(_ old: Int, _ new: Int, _ begin: UInt64, _ end: UInt64?, _ result: CallResult?) -> Call {
        Call(.renew, (begin, end), result, spends: [Call.Spend(time: begin + 1, old: old, new: new)])
    }

    private static let good = [
        Sample("nothing"),
        Sample("one after the other", save(1, 0, 1), look(2, 3, .found(1)), leave(4, 5), look(6, 7, .signedOut)),
        Sample("at once, either order", save(1, 0, 9), save(2, 0, 9), look(10, 11, .found(1))),
        Sample(
            "a save seen before it ends",
            save(1, 0, 1),
            save(2, 2, 9),
            look(3, 4, .found(2)),
            look(5, 6, .found(2))
        ),
        Sample("cut off and done late", save(1, 0, 1), save(2, 2, nil), look(3, 4, .found(1)), look(5, 6, .found(2))),
        Sample("cut off and never done", save(1, 0, 1), save(2, 2, nil), leave(3, nil), look(4, 5, .found(1))),
        Sample("a renewal", save(1, 0, 1), renew(1, 2, 2, 9, .found(2)), look(10, 11, .found(2))),
        Sample("a renewal overtaken by a save", save(1, 0, 1), renew(1, 2, 2, 9, .found(3)), save(3, 4, 5)),
        Sample("a renewal overtaken by a sign-out", save(1, 0, 1), renew(1, 2, 2, 9, .signedOut), leave(4, 5)),
        Sample(
            "a sign-in after the sign-out that overtook a renewal",
            save(1, 0, 1),
            renew(1, 2, 2, 9, .signedOut),
            leave(4, 5),
            save(3, 6, 7),
            look(8, 10, .found(3))
        ),
        Sample(
            "spent by one who was killed, and again",
            save(1, 0, 1),
            renew(1, 2, 2, nil, nil),
            renew(1, 3, 5, 9, .found(3))
        ),
    ]

    private static let bad = [
        Sample("a lost save", save(1, 0, 1), save(2, 2, 3), look(4, 5, .found(1))),
        Sample("a save that nobody made", save(1, 0, 1), look(2, 3, .found(7))),
        Sample("nothing where something was saved", save(1, 0, 1), look(2, 3, .signedOut)),
        Sample(
            "an old token after a new one",
            save(1, 0, 1),
            save(2, 2, 9),
            look(3, 4, .found(2)),
            look(5, 6, .found(1))
        ),
        Sample(
            "an old token after a new one, in the eyes of two",
            save(1, 0, 99),
            save(2, 0, 99),
            look(1, 2, .found(1)),
            look(3, 4, .found(2)),
            look(5, 6, .found(1))
        ),
        Sample("a sign-out undone", save(1, 0, 1), leave(2, 3), look(4, 5, .found(1))),
        Sample("a sign-out undone in the list", save(1, 0, 1), leave(2, 3), Call(.list, (4, 5), .signedIn)),
        Sample("a sign-out undone later", save(1, 0, 1), leave(2, 3), look(4, 5, .signedOut), look(6, 7, .found(1))),
        Sample("a renewal after a sign-out", save(1, 0, 1), leave(2, 3), renew(1, 2, 4, 9, .found(2))),
        Sample(
            "a renewal that undoes a sign-out",
            save(1, 0, 1),
            renew(1, 2, 2, 9, .found(2)),
            leave(4, 5),
            look(6, 7, .signedOut),
            look(10, 11, .found(2))
        ),
        Sample("a renewal over a newer sign-in", save(1, 0, 1), save(2, 2, 3), renew(1, 4, 4, 9, .found(4))),
        Sample("a renewal that was lost", save(1, 0, 1), renew(1, 2, 2, 9, .found(2)), look(10, 11, .found(1))),
        Sample(
            "cut off, done and undone",
            save(1, 0, 1),
            save(2, 2, nil),
            look(3, 4, .found(2)),
            look(5, 6, .found(1))
        ),
        Sample("cut off before it began", save(1, 0, 1), look(2, 3, .found(2)), save(2, 4, nil)),
        Sample(
            "done twice",
            save(1, 0, 1),
            leave(2, nil),
            look(3, 4, .signedOut),
            save(3, 5, 6),
            look(7, 8, .signedOut)
        ),
        Sample(
            "a refresh token spent by two",
            save(1, 0, 1),
            renew(1, 2, 2, 9, .found(2)),
            renew(1, 3, 3, 9, .found(2))
        ),
        Sample("what never happens", save(1, 0, 1), look(2, 3, .impossible("damaged"))),
    ]

    @Test("histories with an explanation pass", arguments: good)
    func passes(_ sample: Sample) {
        let (violations, undecidedCount) = History(sample.calls).judge()
        #expect(violations.isEmpty && undecidedCount == 0)
    }

    @Test("a history without an explanation is found, once", arguments: bad)
    func finds(_ sample: Sample) {
        let (violations, undecidedCount) = History(sample.calls).judge()
        #expect(violations.count == 1 && undecidedCount == 0, "\(violations)")
    }

    @Test("a call that was written down is read as it was, and one that was cut off in a line is not")
    func reads() throws {
        let lines: [LogLine] = [
            .begin(call: 1, time: 10, account: 3, kind: .renew, number: 0),
            .spend(call: 1, time: 11, old: 4, new: 5),
            .begin(call: 2, time: 12, account: 0, kind: .save, number: 6),
            .end(call: 1, time: 13, result: .found(5)),
            .end(call: 2, time: 14, result: .done),
        ]
        let text = lines.map { $0.text + "\n" }.joined()
        let calls = try #require([Call](log: text + "begin 3 15 0 sa"))
        #expect(
            calls == [
                Call(.renew, account: 3, (10, 13), .found(5), spends: [Call.Spend(time: 11, old: 4, new: 5)]),
                Call(.save, account: 0, number: 6, (12, 14), .done),
            ]
        )
        #expect([Call](log: "something else\n") == nil)
    }
}
