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
    /// Which of several writers this is: each has accounts of its own.
    var writer: Int { number("writer", or: 0) }
    /// How many accounts it has.
    var accounts: Int { number("accounts", or: 1) }
    /// The number of the first save.
    var first: Int { number("from", or: 0) }
    /// How many saves.
    var count: Int { number("count", or: 1) }

    private func number(_ name: String, or standard: Int) -> Int {
        values[name].flatMap { Int($0) } ?? standard
    }
}
