// SPDX-License-Identifier: Apache-2.0

/// What stands on the command line: names with one value each.
struct Options {
    private var values: [String: String] = [:]

    init(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst(), name.hasPrefix("--"), let value = rest.popFirst() {
            values[String(name.dropFirst(2))] = value
        }
    }

    /// How many cases go through the library.
    var cases: Int { number("cases", or: 2_000) }
    /// How many cases go through every command of cachetool.
    var commands: Int { number("commands", or: 0) }
    /// How many cases have their records in a keyring.
    var keyring: Int { number("keyring", or: 0) }
    /// After how many seconds no further case is given to a worker.
    var seconds: Int { number("seconds", or: .max) }
    /// Case number i follows from seed + i.
    var seed: UInt64 { values["seed"].flatMap(UInt64.init) ?? 1 }
    /// Workers at a time.
    var jobs: Int { max(number("jobs", or: 2), 1) }
    /// How many findings are told before it ends.
    var failures: Int { max(number("failures", or: 1), 1) }
    /// Which of a case's mutations are made: bit i for number i.
    var mask: UInt64 { values["mask"].flatMap(UInt64.init) ?? .max }
    /// Where a worker notes what it is doing. Only workers have it.
    var status: String? { values["status"] }
    /// What a worker does.
    var kind: TrialKind { values["kind"].flatMap(TrialKind.init) ?? .library }
    /// How many cases a worker has.
    var count: Int { number("count", or: 1) }

    private func number(_ name: String, or standard: Int) -> Int { values[name].flatMap { Int($0) } ?? standard }
}

/// What a mutated folder is given to.
enum TrialKind: String, CaseIterable {
    /// The library, in this process.
    case library
    /// Every command of cachetool.
    case commands
    /// The library, with the records in a keyring.
    case keyring
}
