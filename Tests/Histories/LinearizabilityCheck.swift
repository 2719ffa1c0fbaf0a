// SPDX-License-Identifier: Apache-2.0

/// Whether there is an order of steps, each in one moment between its beginning and its end, that explains what was seen.
///
/// Goes through the ends in the order of time, with every state that is possible so far: which of the steps that have begun
/// did already happen, and what the account is then. At each end only those possibilities stay in which that step has
/// happened. Where none stays there is no such order.
///
/// What was only seen happens as soon as it can: it changes nothing, so later would be no better. A first pass follows only
/// likely possibilities: that what nobody sees any more happened right before something else. Where it finds no order, a
/// second one follows all of them.
package struct LinearizabilityCheck {
    private struct Possibility: Hashable {
        /// The open steps that have happened, by their slots.
        var happened: UInt64
        var state: AccountState
    }

    private let steps: [Step]
    private let isThorough: Bool
    private var possibilities: Set<Possibility>
    /// Steps that have begun and not ended, and their slots.
    private var open: [(step: Int, slot: UInt64)] = []
    private var free: [UInt64] = Array((0..<64).reversed())
    private var isOver: [Bool]
    /// How often the tokens of a save or renewal are still to be seen or spent.
    private var uses: [Int: Int] = [:]

    /// More than this is more than anybody waits for.
    private static let limit = 500_000

    /// What came of a check.
    package enum Verdict: Equatable, Sendable {
        case explained
        /// Nobody has the time to try every order.
        case undecided
        case impossible(String)
    }

    /// Judges the steps of one account.
    package static func verdict(on steps: [Step], from state: AccountState = .absent) -> Verdict {
        var quick = LinearizabilityCheck(steps, state, isThorough: false)
        if quick.run() == .explained { return .explained }
        var thorough = LinearizabilityCheck(steps, state, isThorough: true)
        return thorough.run()
    }

    private init(_ steps: [Step], _ state: AccountState, isThorough: Bool) {
        self.steps = steps
        self.isThorough = isThorough
        possibilities = [Possibility(happened: 0, state: state)]
        isOver = Array(repeating: false, count: steps.count)
        for step in steps where step.end != nil {
            if let used = step.used { uses[used, default: 0] += 1 }
        }
        // A renewal that was cut off, and of which something was seen, has spent its token. Latest first: they form chains.
        for step in steps.filter({ $0.end == nil }).sorted(by: { $0.begin > $1.begin }) {
            if let used = step.used, let made = step.made, uses[made, default: 0] > 0 { uses[used, default: 0] += 1 }
        }
    }

    private mutating func run() -> Verdict {
        // What begins in the moment in which another ends may have come before it.
        var events: [(time: UInt64, isEnd: Bool, step: Int)] = []
        for (index, step) in steps.enumerated() {
            events.append((step.begin, false, index))
            if let end = step.end { events.append((end, true, index)) }
        }
        events.sort { ($0.time, $0.isEnd ? 1 : 0, $0.step) < ($1.time, $1.isEnd ? 1 : 0, $1.step) }
        for event in events {
            if event.isEnd {
                let before = possibilities
                guard close(event.step) else { return .undecided }
                if possibilities.isEmpty { return .impossible(explanation(event.step, before)) }
            } else {
                guard let slot = free.popLast() else { return .undecided }
                open.append((event.step, slot))
                if steps[event.step].isSight { possibilities = Set(possibilities.map(withSights)) }
            }
        }
        return .explained
    }

    /// Leaves those possibilities in which the step has happened.
    ///
    /// - Returns: false where there are too many.
    private mutating func close(_ step: Int) -> Bool {
        guard let place = open.firstIndex(where: { $0.step == step }) else { return true }
        let slot = open[place].slot
        let spare = isThorough ? [] : open.filter { isSpare($0.step) }
        let spareSlots = spare.reduce(UInt64(0)) { $0 | 1 << $1.slot }
        var known = isThorough ? possibilities : Set(possibilities.map(plain))
        var waiting = Array(known)
        var kept: Set<Possibility> = []
        while var possibility = waiting.popLast() {
            if possibility.happened >> slot & 1 == 1 {
                possibility.happened &= ~(1 << slot)
                kept.insert(possibility)
                continue
            }
            for (other, place) in open where possibility.happened >> place & 1 == 0 {
                if spareSlots >> place & 1 == 1, other != step, !mayHelp(other, spare.first?.step, possibility) {
                    continue
                }
                guard !steps[other].isSight, mayHappen(other, in: possibility),
                    let state = steps[other].applied(to: possibility.state)
                else { continue }
                // A renewal needs the token that it spends: nothing comes right before it.
                let before = steps[other].used == nil ? spareSlots : 0
                let happened = possibility.happened | 1 << place | before
                let next = plain(withSights(Possibility(happened: happened, state: state)))
                if known.insert(next).inserted { waiting.append(next) }
            }
            if known.count > Self.limit { return false }
        }
        possibilities = kept
        open.remove(at: place)
        free.append(slot)
        isOver[step] = true
        if let used = steps[step].used { uses[used, default: 1] -= 1 }
        return true
    }

    /// Whether what it left is not to be seen any more, so that it may as well have been undone at once.
    private func isSpare(_ step: Int) -> Bool {
        guard let made = steps[step].made, steps[step].predecessor.map({ isOver[$0] }) ?? true else { return false }
        return uses[made, default: 0] <= 0
    }

    /// One of those is enough to be signed in by.
    private func mayHelp(_ step: Int, _ first: Int?, _ possibility: Possibility) -> Bool {
        if case .signedIn = possibility.state { return false }
        return step == first
    }

    /// The same, but for tokens that are not to be seen any more: one is as good as another.
    private func plain(_ possibility: Possibility) -> Possibility {
        guard !isThorough, case .signedIn(let number) = possibility.state, uses[number, default: 0] <= 0 else {
            return possibility
        }
        return Possibility(happened: possibility.happened, state: .signedIn(-1))
    }

    /// The same, with everything seen that can be seen now.
    private func withSights(_ possibility: Possibility) -> Possibility {
        var possibility = possibility
        for (step, slot) in open where steps[step].isSight && possibility.happened >> slot & 1 == 0 {
            if mayHappen(step, in: possibility), steps[step].applied(to: possibility.state) != nil {
                possibility.happened |= 1 << slot
            }
        }
        return possibility
    }

    private func mayHappen(_ step: Int, in possibility: Possibility) -> Bool {
        guard let predecessor = steps[step].predecessor, !isOver[predecessor] else { return true }
        guard let slot = open.first(where: { $0.step == predecessor })?.slot else { return false }
        return possibility.happened >> slot & 1 == 1
    }

    private func explanation(_ step: Int, _ before: Set<Possibility>) -> String {
        let states = Set(before.map(\.state)).map { "\($0)" }.sorted().joined(separator: ", ")
        let others = open.map { "\(steps[$0.step].action)" }.joined(separator: ", ")
        return "\(steps[step].action) between \(steps[step].begin) and \(steps[step].end ?? 0) cannot be: "
            + "the account was \(states)" + (others.isEmpty ? "" : "; under way were \(others)")
    }
}
