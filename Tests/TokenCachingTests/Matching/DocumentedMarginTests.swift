// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UnifiedSchema

/// Compares what the documentation says about the margin with the rule.
@Suite("The documented margin before the expiry of a token")
struct DocumentedMarginTests {
    private static let project = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }

    /// The default margin of a token that lives long, in seconds.
    private static let longest = margin(lifetime: 86_400)
    /// By what a short lifetime is divided to get the default margin.
    private static let share = 600 / margin(lifetime: 600)
    /// By what the lifetime is divided to get the largest margin that a query may set.
    private static let limit = 600 / margin(lifetime: 600, asked: 600)

    private static let shares: [Int64: String] = [
        2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 8: "an eighth", 10: "a tenth",
    ]
    private static let numbers: [Int64: String] = [
        1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten",
    ]

    private static func margin(lifetime: Int64, asked: Int64? = nil) -> Int64 {
        lifetime - ValidityInterval(EntryTimes(cachedAt: 0, expiresOn: lifetime), margin: asked).until
    }

    @Test("the documentation of a query's margin states the rule")
    func query() throws {
        let path = Self.project.appending(path: "Sources/TokenCaching/Queries/TokenQueryOptions.swift")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        let end = try #require(lines.firstIndex { $0.contains("public var expirationMargin:") })
        let start = try #require(lines[..<end].lastIndex { !$0.contains("///") })
        let comment: [Substring] = lines[start + 1..<end].map { line in line.drop { $0 == " " || $0 == "/" } }
        let text = comment.joined(separator: " ")
        let minutes = try #require(Self.numbers[Self.longest / 60])
        let share = try #require(Self.shares[Self.share])
        let limit = try #require(Self.shares[Self.limit])
        #expect(Self.longest % 60 == 0)
        #expect(text.contains("nil for \(minutes) minutes or \(share) of the token's lifetime, whichever is less."))
        #expect(text.contains("limited to \(limit) of the lifetime"))
    }

    @Test("the table of behaviour states the rule")
    func table() throws {
        let path = Self.project.appending(path: "Documentation/Behaviour.md")
        let share = try #require(Self.shares[Self.share])
        let limit = try #require(Self.shares[Self.limit])
        let margins = "\(Self.longest) s, or \(share) of a short lifetime"
        let rule = "| \(margins); the query's margin, at most \(limit) of the lifetime |"
        #expect(try String(contentsOf: path, encoding: .utf8).contains(rule))
    }
}
