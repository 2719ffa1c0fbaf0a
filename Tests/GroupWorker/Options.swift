// SPDX-License-Identifier: Apache-2.0

/// What stands on the command line: a verb, then options with one value each.
struct Options {
    let verb: String
    private var values: [String: String] = [:]

    init?(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        guard let verb = rest.popFirst() else { return nil }
        self.verb = verb
        while let name = rest.popFirst() {
            guard name.hasPrefix("--"), let value = rest.popFirst() else { return nil }
            values[String(name.dropFirst(2))] = value
        }
    }

    var root: String? { values["root"] }
    var group: String { values["group"] ?? "test" }
    /// Where the group keeps its records.
    var storage: String { values["storage"] ?? "automatic" }
    /// The file that calls are logged to.
    var log: String? { values["log"] }
    /// Which of several writers this is: each has accounts of its own.
    var writer: Int { number("writer", or: 0) }
    /// How many accounts it has.
    var accounts: Int { number("accounts", or: 1) }
    /// The number of the first save.
    var first: Int { number("from", or: 0) }
    /// Characters of the access tokens that it saves.
    var size: Int { number("size", or: 1_500) }
    /// What its random choices follow from.
    var seed: UInt64 { UInt64(number("seed", or: 0)) }
    /// How many saves.
    var count: Int { number("count", or: 1) }

    /// Which of several client ids of one family it has.
    var client: Int { number("client", or: 0) }
    /// Where the token endpoint listens.
    var port: UInt16 { UInt16(clamping: number("port", or: 0)) }
    /// How long it waits for others who renew, in milliseconds.
    var wait: Int { number("wait", or: 60_000) }
    /// The host of the authority.
    var host: String { values["host"] ?? Person.host }
    /// The call that is timed.
    var call: String { values["call"] ?? "" }
    /// How long a call may wait, in milliseconds.
    var timeout: Int { number("timeout", or: 20_000) }
    /// Where it kills itself in the middle of a renewal: 1 before its request leaves, 2 after the answer came. 3: it
    /// says that it renews and then waits for a line. 4: then it forks and kills itself.
    var halt: Int { number("halt", or: 0) }

    private func number(_ name: String, or standard: Int) -> Int {
        values[name].flatMap { Int($0) } ?? standard
    }
}
