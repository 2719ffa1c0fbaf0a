// SPDX-License-Identifier: Apache-2.0

extension Call {
    /// What happened to the account in this call, to be put behind `count` other steps. Calls that say nothing have no steps.
    func steps(after count: Int) -> [Step] {
        switch kind {
        case .save: [changing(.save(number))]
        case .leave: [changing(.leave)]
        case .token, .refresh, .list: seen.map { [Step(action: $0, begin: begin, end: end)] } ?? []
        case .renew: renewal(after: count)
        }
    }

    private func changing(_ action: Step.Action, since time: UInt64? = nil) -> Step {
        Step(action: action, begin: time ?? begin, end: isKnown ? end : nil)
    }

    /// Whether the call said that it did what it was asked for, or could not do for a reason that is part of the model.
    private var isKnown: Bool {
        switch result {
        case .done, .found, .signedIn, .signedOut: true
        case .failed, .impossible, nil: false
        }
    }

    private var seen: Step.Action? {
        switch result {
        case .found(let number): .see(.signedIn(number))
        case .signedIn: .seeSignedIn
        case .signedOut: .see(.signedOut)
        case .done, .failed, .impossible, nil: nil
        }
    }

    /// Each token that was spent may have been replaced; then the outcome was seen.
    private func renewal(after count: Int) -> [Step] {
        var steps = spends.map { changing(.replace(old: $0.old, new: $0.new), since: $0.time) }
        for index in steps.indices.dropFirst() { steps[index].predecessor = count + index - 1 }
        if let seen {
            var last = Step(action: seen, begin: begin, end: end)
            // That of a sign-out that overtook it was seen before anything could be stored.
            if case .found = result, !steps.isEmpty { last.predecessor = count + steps.count - 1 }
            steps.append(last)
        }
        return steps
    }
}
