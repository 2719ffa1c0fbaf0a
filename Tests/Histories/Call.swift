// SPDX-License-Identifier: Apache-2.0

/// One call of a worker, as its log tells it. A call without an end was cut off by a kill: it was done or not.
package struct Call: Equatable, Sendable {
    package struct Spend: Equatable, Sendable {
        package let time: UInt64
        package let old: Int
        package let new: Int

        package init(time: UInt64, old: Int, new: Int) {
            self.time = time
            self.old = old
            self.new = new
        }
    }

    package let kind: CallKind
    package let account: Int
    /// Of what is saved.
    package let number: Int
    package let begin: UInt64
    package var end: UInt64?
    package var result: CallResult?
    /// The refresh tokens that a renewal spent, one after the other.
    package var spends: [Spend] = []

    package init(
        _ kind: CallKind,
        account: Int = 0,
        number: Int = 0,
        _ times: (begin: UInt64, end: UInt64?),
        _ result: CallResult? = nil,
        spends: [Spend] = []
    ) {
        self.kind = kind
        self.account = account
        self.number = number
        begin = times.begin
        end = times.end
        self.result = result
        self.spends = spends
    }
}

extension [Call] {
    /// The calls of one log. What a kill cut off in the middle of a line is left out.
    ///
    /// - Returns: nil where it is no log.
    package init?(log: String) {
        var calls: [Int: Call] = [:]
        for text in log.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            switch LogLine(text: text) {
            case .begin(let call, let time, let account, let kind, let number):
                calls[call] = Call(kind, account: account, number: number, (time, nil))
            case .spend(let call, let time, let old, let new):
                calls[call]?.spends.append(Call.Spend(time: time, old: old, new: new))
            case .end(let call, let time, let result):
                calls[call]?.end = time
                calls[call]?.result = result
            case nil:
                return nil
            }
        }
        self = calls.sorted { $0.key < $1.key }.map(\.value)
    }
}
