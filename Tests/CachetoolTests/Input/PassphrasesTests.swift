// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenCaching

@testable import ToolInterface
@testable import cachetool

@Suite("Passphrases from a descriptor")
struct PassphrasesTests {
    /// Whether what is read from a pipe that holds `text` is `expected`.
    private func reads(_ text: [UInt8], as expected: [UInt8] = [1]) throws -> Bool {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text))
        try pipe.fileHandleForWriting.close()
        return try reads(from: pipe.fileHandleForReading.fileDescriptor, as: expected)
    }

    private func reads(from descriptor: Int32, as expected: [UInt8] = [1]) throws -> Bool {
        let typed = try CallersDescriptor(typed: "\(descriptor)")
        defer { close(typed.duplicate) }
        let passphrase = try Passphrases.read(from: typed, asking: "Passphrase")
        return unsafe passphrase.isEqual(to: try Passphrase(copying: expected.span.bytes))
    }

    @Test(
        "the first line counts, without its end",
        arguments: ["correct horse", "correct horse\n", "correct horse\nmore\n"]
    )
    func firstLine(text: String) throws {
        #expect(try reads(Array(text.utf8), as: Array("correct horse".utf8)))
    }

    @Test("blanks and other bytes are part of it")
    func bytes() throws {
        #expect(try reads([0x20, 0xFF, 0x00, 0x0D, 0x0A], as: [0x20, 0xFF, 0x00, 0x0D]))
    }

    @Test("a second passphrase may follow on the same descriptor")
    func second() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("old\nnew\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try reads(from: pipe.fileHandleForReading.fileDescriptor, as: Array("old".utf8)))
        #expect(try reads(from: pipe.fileHandleForReading.fileDescriptor, as: Array("new".utf8)))
    }

    @Test("none, an empty one and one that never ends are refused", arguments: [0, 1, 5_000])
    func refused(count: Int) {
        let bytes = count == 1 ? [UInt8(ascii: "\n")] : Array(repeating: UInt8(ascii: "a"), count: count)
        #expect { try reads(bytes) } throws: { ($0 as? TokenCacheError)?.code == .invalidRequest }
    }

    @Test("a descriptor that is not open is named in the error")
    func closed() {
        #expect { try reads(from: 997) } throws: { ($0 as? CommandFailure)?.message.contains("997") == true }
    }

    @Test("without a terminal there is no prompt")
    func nobody() throws {
        let request = PassphraseRequest(group: "work", purpose: .open)
        if let _ = try Passphrases(mayAsk: false).answer(request, from: nil) { Issue.record("there is a passphrase") }
    }
}
