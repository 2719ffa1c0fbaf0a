// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Writing a document")
struct DocumentWriterTests {
    private func facts(_ section: UTF8Text, _ key: UTF8Text?) throws -> (EntryFacts, [UInt8]) {
        let json = #"{"home_account_id":"h"}"#
        let result = try parse(json, section: section, key: key)
        return (result.facts, payload(result.secrets, of: Array(json.utf8).rawSpan))
    }

    @Test("entries of a section must come in a row")
    func order() throws {
        let entries = try [facts("Account", "a"), facts("X", "b"), facts("Account", "c")]
        let error = #expect(throws: DocumentError<Never>.self) { try write(entries) }
        guard case .schema(let schema) = error else { return }
        #expect(schema.code == .invalidEntry)
    }

    @Test("a section of one name is one section, however its name was written")
    func spelling() throws {
        let one = try ReadDocument(HeapWindow(#"{"Foo":{"a":1}}"#)).entries
        let other = try ReadDocument(HeapWindow(#"{"F\u006fo":{"b":2}}"#)).entries
        #expect(try write(one + other) == #"{"Foo":{"a":1,"b":2}}"#)
    }

    @Test("a payload of another entry is refused")
    func payloads() throws {
        let token = try NewEntryTests.token.facts()
        #expect(throws: DocumentError<Never>.self) { try write([(token, [])]) }
        #expect(throws: DocumentError<Never>.self) { try write([(token, [1, 0, 255, 0])]) }
        let account = try facts("Account", "a").0
        let payload = payload(ofToken: "t")
        #expect(throws: DocumentError<Never>.self) { try write([(account, payload)]) }
    }

    @Test("an error of the sink is thrown on, at every call")
    func sinkFailure() throws {
        struct Full: Error {}
        let token = try NewEntryTests.token.facts()
        let payload = payload(ofToken: "tok")
        for failing in 0..<3 {
            var calls = 0
            var writer = DocumentWriter()
            func sink(_ bytes: RawSpan) throws(Full) {
                defer { calls += 1 }
                if calls == failing { throw Full() }
            }
            var failed = false
            do throws(DocumentError<Full>) {
                try writer.write(token, payload: payload.rawSpan, to: sink)
                try writer.finish(to: sink)
            } catch {
                if case .transport = error { failed = true }
            }
            #expect(failed, "\(failing)")
        }
    }

    @Test("a secret goes to the sink by itself, and text in large pieces")
    func pieces() throws {
        var pieces: [String] = []
        func sink(_ bytes: RawSpan) { pieces.append(String(decoding: bytes.copied(), as: UTF8.self)) }
        let token = try NewEntryTests.token.facts()
        let payload = payload(ofToken: "tok")
        var writer = DocumentWriter()
        try writer.write(token, payload: payload.rawSpan, to: sink)
        try writer.finish(to: sink)
        #expect(pieces.count == 3)
        #expect(pieces[1] == "\"tok\"")
        pieces = []
        var accounts = DocumentWriter()
        for index in 0..<2000 {
            let (facts, payload) = try facts("Account", UTF8Text("key \(index)"))
            try accounts.write(facts, payload: payload.rawSpan, to: sink)
        }
        try accounts.finish(to: sink)
        #expect(pieces.count < 10)
        #expect(try ReadDocument(HeapWindow(pieces.joined())).entries.count == 2000)
    }

    @Test("empty objects look empty in either style")
    func empty() throws {
        #expect(try write([], style: .indented) == "{}\n")
        let empty = try ReadDocument(HeapWindow(#"{"Account":{},"X":{"a":{}}}"#)).entries
        #expect(try write(empty) == #"{"X":{"a":{}}}"#)
    }
}
