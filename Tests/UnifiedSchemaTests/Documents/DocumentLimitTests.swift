// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Limits of a document")
struct DocumentLimitTests {
    private func read(
        _ text: String,
        pieceSize: Int = 1000,
        collecting: Bool = false,
        _ change: (inout DocumentLimits) -> Void = { _ in }
    ) throws(SchemaError) -> ReadDocument {
        var limits = DocumentLimits()
        change(&limits)
        return try ReadDocument(HeapWindow(text, pieceSize: pieceSize), limits: limits, collectsBadEntries: collecting)
    }

    @Test("an entry may nest to the limit and no further", arguments: [false, true])
    func depth(collecting: Bool) throws {
        func document(_ levels: Int) -> String {
            let nest = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return #"{"Account":{"a":{"home_account_id":"h","x":\#(nest)},"b":{"username":"u"}}}"#
        }
        // The document, its section and the entry are three levels.
        #expect(try read(document(29), collecting: collecting).entries.count == 2)
        if collecting {
            let read = try read(document(30), collecting: true)
            #expect(read.entries.map { $0.facts.key } == ["b"])
            #expect(read.bad.map(\.code) == [.limitExceeded])
        } else {
            let error = #expect(throws: SchemaError.self) { try read(document(30)) }
            #expect(error?.code == .limitExceeded)
        }
        // What is passed over is bounded too.
        let error = #expect(throws: SchemaError.self) { try read(document(200), collecting: true) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("a hundred megabytes of nesting fail at once", arguments: [false, true])
    func nesting(collecting: Bool) {
        let start = Array(#"{"Account":{"a":"#.utf8)
        let bytes = start + [UInt8](repeating: 0x5B, count: 100_000_000)
        var limits = DocumentLimits()
        limits.documentBytes = .max >> 1
        let clock = ContinuousClock()
        let window = HeapWindow(bytes, pieceSize: 65_536)
        let time = clock.measure {
            let error = #expect(throws: SchemaError.self) {
                try ReadDocument(window, limits: limits, collectsBadEntries: collecting)
            }
            #expect(error?.code == (collecting ? .limitExceeded : .notAnObject))
        }
        #expect(time < .seconds(5))
    }

    @Test("names of sections and keys are bounded")
    func names() {
        let long = String(repeating: "k", count: 2000)
        for text in ["{\"\(long)\":1}", "{\"Account\":{\"\(long)\":{}}}"] {
            let error = #expect(throws: SchemaError.self) { try read(text) { $0.keyBytes = 1999 } }
            #expect(error?.code == .limitExceeded)
            #expect(throws: Never.self) { try read(text) { $0.keyBytes = 2000 } }
        }
    }

    @Test("white space between a key and its value is bounded, between entries it is not")
    func whiteSpace() throws {
        let space = String(repeating: " \n", count: 20_000)
        let limit: (inout DocumentLimits) -> Void = { limits in
            limits.entryBytes = 1000
            limits.keyBytes = 100
        }
        let first = "{\"Account\":{\"a\":{\"username\":\"u\"}\(space),"
        let between = "\(space)\(first)\"b\":{\"username\":\"v\"}\(space)}\(space)}\(space)"
        #expect(try read(between, limit).entries.count == 2)
        let inside = "{\"Account\":{\"a\"\(space):{\"username\":\"u\"}}}"
        let error = #expect(throws: SchemaError.self) { try read(inside, limit) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("an entry of exactly the limit is taken", arguments: [64, 1000, 5000])
    func exact(size: Int) throws {
        let entry = #"{"username":""# + String(repeating: "u", count: size - 15) + "\"}"
        #expect(entry.utf8.count == size)
        for pieceSize in [50, 4096] {
            let text = "{\"Account\":{\"a\":\(entry)}}"
            #expect(try read(text, pieceSize: pieceSize) { $0.entryBytes = size }.entries.count == 1)
            #expect(throws: SchemaError.self) { try read(text, pieceSize: pieceSize) { $0.entryBytes = size - 1 } }
        }
    }

    @Test("a long bad value is passed over through a small window")
    func smallWindow() throws {
        let long = "[\"" + String(repeating: "x\\n", count: 200_000) + "\",{\"é\":1}]"
        let text = "{\"Account\":{\"a\":\(long),\"b\":{\"username\":\"u\"}}}"
        var limits = DocumentLimits()
        limits.entryBytes = 10_000
        limits.keyBytes = 1000
        var window = HeapWindow(text)
        var reader = DocumentReader(limits: limits, collectsBadEntries: true)
        var seen: [String] = []
        while let item = try reader.next(from: &window) {
            switch item {
            case .entry(let entry): seen.append(entry.facts.key?.string ?? "-")
            case .bad(let error): seen.append(error.code.rawValue)
            }
        }
        #expect(seen == ["notAnObject", "b"])
        #expect(window.peak <= DocumentReader.smallestWindow)
    }

    @Test("a number longer than any window stops the reading")
    func longNumber() {
        let text = "{\"Account\":{\"a\":\(String(repeating: "1", count: 300_000))}}"
        let error = #expect(throws: SchemaError.self) {
            try read(text, collecting: true) { limits in
                limits.entryBytes = 1000
                limits.keyBytes = 100
            }
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test("a document in one piece never needs more")
    func wholeInMemory() throws {
        let text = Array(SDKDocument.python.json.utf8)
        var reader = DocumentReader()
        var kinds: [EntryKind] = []
        reading: while true {
            switch try reader.next(in: text.rawSpan, isLast: true) {
            case .entry(let entry):
                kinds.append(entry.facts.kind)
                #expect(text[entry.byteOffset] == 0x7B)
                for range in entry.secrets.ranges { #expect(text[range.lowerBound] == 0x22) }
            case .bad, .needsMore: Issue.record("not here")
            case .end: break reading
            }
        }
        #expect(kinds == [.accessToken, .refreshToken, .idToken, .account, .appMetadata])
    }

    @Test("hostile repetitions of small entries cost time in proportion")
    func manySmall() throws {
        let text = "{\"X\":{" + (0..<20_000).map { "\"\($0)\":0" }.joined(separator: ",") + "}}"
        #expect(try read(text, pieceSize: 65_536).entries.count == 20_000)
    }
}
