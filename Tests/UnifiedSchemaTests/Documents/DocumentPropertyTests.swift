// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import SeededRandom
import Testing

@testable import UnifiedSchema

@Suite("Documents of any shape")
struct DocumentPropertyTests {
    @Test("nothing is lost between reading and writing", arguments: 0..<8)
    func roundTrip(part: UInt64) throws {
        var random = RandomJSON(stream: 900 + part)
        for _ in 0..<30 {
            let text = random.document()
            let read = try ReadDocument(HeapWindow(text, pieceSize: random.pick([97, 641, 100_000])))
            let style: DocumentWriter.Style = random.pick([.compact, .indented])
            let written = try write(read.entries, style: style)
            let again = try ReadDocument(HeapWindow(written))
            #expect(again.entries.map(\.facts) == read.entries.map(\.facts))
            #expect(again.entries.map(\.payload) == read.entries.map(\.payload))
            #expect(try RawTree(written) == RawTree(text).withoutEmptySections)
        }
    }

    @Test("no facts contain contents of a secret", arguments: 0..<4)
    func secretsApart(part: UInt64) throws {
        var random = RandomJSON(stream: 1100 + part)
        for _ in 0..<100 {
            let secret = "TOPSECRET\(random.generator.next())"
            let inner = random.object(depth: 2).dropFirst().dropLast()
            let json =
                "{\"secret\":\"\(secret)\",\"session_key\":[\"\(secret)\"],\"client_id\":\"c\",\"environment\":"
                + (random.chance(50) ? "\"e\"" : "5") + (inner.isEmpty ? "" : ",\(inner)") + "}"
            let facts = try parse(json, section: random.pick(DocumentSection.allCases).name).facts
            #expect(!String(decoding: facts.encoded(), as: UTF8.self).contains("TOPSECRET"))
        }
    }

    @Test("damaged documents are read or refused, and never trap", arguments: 0..<4)
    func damaged(part: UInt64) throws {
        var random = RandomJSON(stream: 1300 + part)
        for _ in 0..<100 {
            var bytes = Array(random.document().utf8)
            for _ in 0..<random.pick([1, 2, 5]) {
                let index = Int.random(in: 0..<bytes.count, using: &random.generator)
                bytes[index] = random.chance(50) ? random.pick(Array("{}[],:\"\\".utf8)) : bytes[index] ^ 1
            }
            let whole = Result { try ReadDocument(HeapWindow(bytes), collectsBadEntries: true) }
            let pieces = Result {
                try ReadDocument(HeapWindow(bytes, pieceSize: random.pick([89, 613])), collectsBadEntries: true)
            }
            switch (whole, pieces) {
            case (.success(let one), .success(let other)):
                #expect(one.entries.map(\.facts) == other.entries.map(\.facts))
                #expect(one.bad == other.bad)
            case (.failure(let one), .failure(let other)):
                #expect(one as? SchemaError == other as? SchemaError)
            default:
                Issue.record("pieces decide")
            }
        }
    }
}

/// JSON as a tree whose leaves are raw text, so that number text and escapes count; order of members does not.
private struct RawTree: Equatable {
    var members: [String: RawTree] = [:]
    var leaf: String?

    /// A known section that is empty or null holds nothing, and is not kept.
    var withoutEmptySections: RawTree {
        var tree = self
        for section in DocumentSection.allCases {
            let content = tree.members[section.name.string]
            if content?.leaf == "null" || content.map({ $0.leaf == nil && $0.members.isEmpty }) == true {
                tree.members[section.name.string] = nil
            }
        }
        return tree
    }

    init(_ text: String) throws {
        var scanner = JSONScanner(text.rawSpan, maximumDepth: 64)
        self = try RawTree(&scanner, depth: 1)
    }

    /// Sections and entries are opened; below, text is compared as it stands but for white space around it.
    private init(_ scanner: inout JSONScanner, depth: Int) throws {
        guard depth < 4, try scanner.peek() == ASCII.openBrace else {
            _ = try scanner.peek()
            let start = scanner.position
            _ = try scanner.value(depth: 1)
            leaf = String(decoding: scanner.bytes.extracting(start..<scanner.position).copied(), as: UTF8.self)
            return
        }
        scanner.position += 1
        if try scanner.take(ASCII.closeBrace) { return }
        repeat {
            _ = try scanner.peek()
            let location = try scanner.string()
            let name = String(decoding: scanner.bytes.extracting(location.range).copied(), as: UTF8.self)
            try scanner.expect(ASCII.colon, "colon")
            members[name] = try RawTree(&scanner, depth: depth + 1)
        } while try scanner.nextMember(closing: ASCII.closeBrace)
    }
}
