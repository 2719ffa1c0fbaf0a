// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Documents in pieces of every size")
struct DocumentPieceTests {
    @Test("where the pieces part decides nothing", arguments: [SDKDocument.go, .objectiveC])
    func everySize(_ document: SDKDocument) throws {
        let whole = try ReadDocument(HeapWindow(document.json))
        for pieceSize in [31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 1023, 1024, 2047] {
            let read = try ReadDocument(HeapWindow(document.json, pieceSize: pieceSize))
            #expect(read.entries.map(\.facts) == whole.entries.map(\.facts))
            #expect(read.entries.map(\.payload) == whole.entries.map(\.payload))
        }
    }

    @Test("a document that ends anywhere too early is refused, whatever the pieces", arguments: [7, 4096])
    func truncated(pieceSize: Int) {
        let bytes = Array(DocumentReaderTests.document.utf8)
        for end in 0..<bytes.count where end % 3 == 0 {
            let error = #expect(throws: SchemaError.self) {
                try ReadDocument(HeapWindow(Array(bytes[..<end]), pieceSize: pieceSize))
            }
            #expect(error?.code == .unexpectedEnd)
            #expect(error?.byteOffset == end)
        }
    }

    @Test("the place of every entry is that of its value in the document", arguments: [50, 4096])
    func locations(pieceSize: Int) throws {
        let bytes = Array(SDKDocument.javaScript.json.utf8)
        var window = HeapWindow(bytes, pieceSize: pieceSize)
        var reader = DocumentReader()
        var offsets: [Int] = []
        while let item = try reader.next(from: &window) {
            guard case .entry(let entry) = item else { continue }
            offsets.append(entry.byteOffset)
            #expect(bytes[entry.byteOffset] == 0x7B)
            // The first secret, seen in the window, is the one of the document.
            if let range = entry.secrets.ranges.first {
                let inWindow = window.bytes.extracting(range).copied()
                let text = String(decoding: inWindow, as: UTF8.self)
                #expect(String(decoding: bytes[entry.byteOffset...], as: UTF8.self).contains(text))
            }
        }
        #expect(offsets == offsets.sorted())
        #expect(Set(offsets).count == offsets.count)
    }

    @Test("errors have the same place in any pieces", arguments: [1, 13, 77, 4096])
    func errorLocations(pieceSize: Int) {
        let document = SDKDocument.python.json
        for (marker, code) in [("\"family_id\"", SchemaError.Code.malformedJSON), ("\"username\":", .malformedJSON)] {
            let text = document.replacing(marker, with: "\n\n}\(marker)")
            let whole = Result { try ReadDocument(HeapWindow(text)) }.failure
            let pieces = Result { try ReadDocument(HeapWindow(text, pieceSize: pieceSize)) }.failure
            #expect(whole != nil && whole == pieces)
            #expect(whole?.code == code)
            #expect((whole?.line ?? 0) > 10)
        }
    }
}
