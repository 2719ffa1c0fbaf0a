// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Testing

@testable import UnifiedSchema

@Suite("JSON of any shape")
struct JSONPropertyTests {
    @Test("any well-formed value is taken, by the scanner and by the skipper in any pieces", arguments: 0..<8)
    func wellFormed(part: UInt64) throws {
        var random = RandomJSON(stream: part)
        for _ in 0..<250 {
            let bytes = Array(random.value().utf8)
            try JSONScannerTests.scan(bytes)
            #expect(try skip(bytes, pieceSize: random.pick([1, 2, 3, 7, 1000])) == bytes.count)
        }
    }

    @Test("documents accepted after damage are accepted by Foundation too", arguments: 0..<8)
    func damaged(part: UInt64) throws {
        var random = RandomJSON(stream: 100 + part)
        var taken = 0
        for _ in 0..<600 {
            var bytes = Array(random.value().utf8)
            for _ in 0..<random.pick([1, 1, 2, 4]) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random.generator)
                switch random.pick([0, 1, 2]) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random.generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(random.pick(Array("{}[],:\"\\0eu-.".utf8)), at: index)
                }
            }
            guard (try? JSONScannerTests.scan(bytes)) != nil else {
                // The skipper may take a name that stands twice, and nothing else that the scanner refuses.
                continue
            }
            taken += 1
            #expect(try skip(bytes, pieceSize: 3) == bytes.count)
            let text = String(decoding: bytes, as: UTF8.self)
            // Leniencies that are meant: Python's numbers, surrogates that stand alone; and numbers beyond Foundation.
            if text.contains("N") || text.contains("I") || text.contains("\\u") || text.contains("9") { continue }
            #expect(
                throws: Never.self,
                performing: { try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) }
            )
        }
        #expect(taken > 50)
    }

    /// Skips one value piece by piece, followed by a byte that shows where it ends.
    private func skip(_ bytes: [UInt8], pieceSize: Int) throws(SchemaError) -> Int {
        let all = bytes + [ASCII.comma]
        var skipper = JSONSkipper()
        var start = 0
        var end = min(pieceSize, all.count)
        while true {
            let consumed = try skipper.skip(all.rawSpan.extracting(start..<end), from: 0)
            start += consumed
            if skipper.isDone {
                while start < bytes.count, ASCII.isWhitespace(bytes[start]) { start += 1 }
                return start
            }
            if end == all.count { throw SchemaError(.unexpectedEnd, at: start, rule: "over") }
            end = min(end + pieceSize, all.count)
        }
    }
}
