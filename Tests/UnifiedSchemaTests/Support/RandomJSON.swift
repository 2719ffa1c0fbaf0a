// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// Makes JSON text of any shape, with white space, escapes and odd numbers, but without names that stand twice.
struct RandomJSON {
    var generator: SeededGenerator

    init(stream: UInt64) {
        generator = SeededGenerator(stream: stream)
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    mutating func space() -> String {
        chance(70) ? "" : pick([" ", "\n", "\t", "\r\n", "   "])
    }

    mutating func string() -> String {
        let pieces = [
            "a", "Z", "0", " ", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9", "\\ud83d\\ude00",
            "\u{7F}", "longer plain text that fills a word or two", "\\u0000", "\\b\\f\\r\\t",
        ]
        let count = pick([0, 1, 2, 3, 5, 8, 30])
        return "\"" + (0..<count).map { _ in pick(pieces) }.joined() + "\""
    }

    mutating func scalar() -> String {
        chance(50)
            ? string()
            : pick([
                "0", "-0", "1", "12.50", "1e999", "-1E+2", "0.1e-5", "123456789012345678901234567890", "true", "false",
                "null",
            ])
    }

    mutating func value(depth: Int = 0) -> String {
        if depth > 4 || chance(60) { return scalar() }
        return chance(50) ? object(depth: depth) : array(depth: depth)
    }

    mutating func array(depth: Int) -> String {
        let elements = (0..<pick([0, 1, 2, 4])).map { _ in space() + value(depth: depth + 1) + space() }
        return "[" + elements.joined(separator: ",") + "]"
    }

    mutating func object(depth: Int, count: Int? = nil) -> String {
        let members = (0..<(count ?? pick([0, 1, 3]))).map { index in
            // The index keeps names apart.
            "\(space())\"\(index)\(string().dropFirst())\(space()):\(space())\(value(depth: depth + 1))\(space())"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// An entry with some of the known members among others.
    mutating func entry() -> String {
        let known = [
            "secret", "client_id", "environment", "home_account_id", "realm", "target", "expires_on", "session_key",
            "cached_at", "token_type", "name", "kid", "credential_type", "ext",
        ]
        let chosen = known.filter { _ in chance(60) }
        let members = chosen.map { "\"\($0)\":\(space())\(chance(70) ? string() : value(depth: 3))" }
        let others = object(depth: 2, count: pick([0, 1, 4])).dropFirst().dropLast()
        let all = members + (others.isEmpty ? [] : [String(others)])
        return "{" + all.joined(separator: ",\(space())") + "}"
    }

    /// A document of all sorts of sections.
    mutating func document() -> String {
        let sections = ["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata", "AccountMetadataMap"]
        var members = sections.filter { _ in chance(60) }.map { name in
            let entries = (0..<pick([0, 1, 3, 6])).map { "\"k\($0)\(string().dropFirst()):\(space())\(entry())" }
            return "\"\(name)\":\(space()){\(entries.joined(separator: ","))}"
        }
        members += (0..<pick([0, 1, 2])).map { "\"other\($0)\":\(value())" }
        return "{" + space() + members.joined(separator: space() + "," + space()) + "}" + space()
    }
}
