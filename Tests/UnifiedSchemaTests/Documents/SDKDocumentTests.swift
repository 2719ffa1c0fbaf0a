// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Testing

@testable import UnifiedSchema

@Suite("Documents of other SDKs")
struct SDKDocumentTests {
    @Test("every entry has its kind", arguments: SDKDocument.all)
    func entries(_ document: SDKDocument) throws {
        let read = try ReadDocument(HeapWindow(document.json, pieceSize: 500))
        let seen = read.entries.map { "\($0.facts.sectionName)|\($0.facts.key?.string ?? "-")|\($0.facts.kind)" }
        #expect(seen == document.entries)
    }

    @Test("the key worked out from the fields is the one that the SDK wrote", arguments: SDKDocument.all)
    func keys(_ document: SDKDocument) throws {
        for (facts, _) in try ReadDocument(HeapWindow(document.json)).entries where facts.kind != .opaque {
            let key = try #require(facts.key)
            if document.foreignKeys.contains(key.string) { continue }
            #expect(KeyParts(facts).documentKey(document.format) == key)
            // What is detected need not be that SDK, but must make the same key.
            #expect(KeyParts(facts).documentKey(KeyFormat(detecting: facts)) == key)
        }
    }

    @Test(
        "it is exported with every member as imported",
        arguments: SDKDocument.all,
        [DocumentWriter.Style.compact, .indented]
    )
    func unchanged(_ document: SDKDocument, style: DocumentWriter.Style) throws {
        let written = try write(try ReadDocument(HeapWindow(document.json)).entries, style: style)
        let before = try JSONSerialization.jsonObject(with: Data(document.json.utf8)) as? NSDictionary
        let after = try JSONSerialization.jsonObject(with: Data(written.utf8)) as? NSDictionary
        #expect(before != nil)
        #expect(before == after)
    }

    @Test("no secret is among the facts", arguments: SDKDocument.all)
    func secrets(_ document: SDKDocument) throws {
        for (facts, payload) in try ReadDocument(HeapWindow(document.json)).entries {
            guard facts.kind.isCredential else { continue }
            #expect(facts.members.filter(\.isSecret).map(\.name.string).contains("secret"))
            let token = try #require(try SecretPayload.token(in: payload.rawSpan))
            #expect(!payload[token.range].isEmpty)
            #expect(facts.rawJSON(.secret) == nil && facts.rawJSON(.sessionKey) == nil)
        }
    }

    @Test("keys match as in the SDKs")
    func matching() throws {
        let entries = try ReadDocument(HeapWindow(SDKDocument.dotNet.json)).entries
        let pop = CredentialFields(entries[1].facts)
        #expect(pop.homeAccountID == "uid.utid" && pop.tokenType == "pop" && pop.keyID == "k")
        #expect(pop.extendedExpiresOn == 9000 && pop.target == "user.read")
        let extended = CredentialFields(entries[2].facts)
        #expect(extended.homeAccountID == nil && extended.expiresOn == 4600)
        #expect(extended.isolation.extendedKey == "latlwkpewb_a0rcsmjvkecqt0_huumkw4sflzociike")
    }

    @Test("the author is reported if it is known")
    func detection() throws {
        func formats(_ document: SDKDocument) throws -> [KeyFormat] {
            try ReadDocument(HeapWindow(document.json)).entries.filter { $0.facts.kind != .opaque }
                .map { KeyFormat(detecting: $0.facts) }
        }
        #expect(try formats(.python) == [.python, .python, .objectiveC, .python, .objectiveC])
        #expect(try formats(.go) == [.go, .objectiveC, .go, .go])
        #expect(try formats(.javaScript) == [.javaScript, .javaScript, .javaScript, .javaScript, .javaScript])
        #expect(try formats(.dotNet) == [.dotNet, .dotNet, .dotNet])
        #expect(try formats(.android) == [.android, .android])
    }
}
