// SPDX-License-Identifier: Apache-2.0

/// One line of a worker's log. Times are nanoseconds of a clock that all processes of the machine share.
package enum LogLine: Equatable, Sendable {
    /// Written before the call. `number` is that of what is saved; 0 for other calls.
    case begin(call: Int, time: UInt64, account: Int, kind: CallKind, number: Int)
    /// Written in the middle of a renewal: the refresh token `old` is spent for `new`.
    case spend(call: Int, time: UInt64, old: Int, new: Int)
    /// Written after the call.
    case end(call: Int, time: UInt64, result: CallResult)

    package init?(text: some StringProtocol) {
        let words = text.split(separator: " ", maxSplits: 3)
        guard words.count == 4, let call = Int(words[1]), let time = UInt64(words[2]) else { return nil }
        let rest = words[3].split(separator: " ")
        switch words[0] {
        case "begin":
            guard rest.count == 3, let account = Int(rest[0]), let kind = CallKind(rawValue: String(rest[1])),
                let number = Int(rest[2])
            else { return nil }
            self = .begin(call: call, time: time, account: account, kind: kind, number: number)
        case "spend":
            guard rest.count == 2, let old = Int(rest[0]), let new = Int(rest[1]) else { return nil }
            self = .spend(call: call, time: time, old: old, new: new)
        case "end":
            guard let result = CallResult(text: words[3]) else { return nil }
            self = .end(call: call, time: time, result: result)
        default:
            return nil
        }
    }

    package var text: String {
        switch self {
        case .begin(let call, let time, let account, let kind, let number):
            "begin \(call) \(time) \(account) \(kind.rawValue) \(number)"
        case .spend(let call, let time, let old, let new): "spend \(call) \(time) \(old) \(new)"
        case .end(let call, let time, let result): "end \(call) \(time) \(result.text)"
        }
    }
}
