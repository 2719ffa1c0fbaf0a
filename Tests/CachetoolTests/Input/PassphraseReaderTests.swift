import Foundation
import Sealing
import Testing

@testable import cachetool

@Suite("Passphrases from a descriptor")
struct PassphraseReaderTests {
    /// What is read from a pipe that holds `text`.
    private func read(_ text: [UInt8]) throws -> [UInt8] {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text))
        try pipe.fileHandleForWriting.close()
        return try read(from: pipe.fileHandleForReading.fileDescriptor)
    }

    private func read(from descriptor: Int32) throws -> [UInt8] {
        let secret = try PassphraseReader(mayAsk: false).read(from: descriptor, asking: "Passphrase")
        return secret.bytes.byteOffsets.map { unsafe secret.bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }

    @Test(
        "the first line counts, without its end",
        arguments: ["correct horse", "correct horse\n", "correct horse\nmore\n"]
    )
    func firstLine(text: String) throws {
        #expect(try read(Array(text.utf8)) == Array("correct horse".utf8))
    }

    @Test("blanks and other bytes are part of it")
    func bytes() throws {
        #expect(try read([0x20, 0xFF, 0x00, 0x0D, 0x0A]) == [0x20, 0xFF, 0x00, 0x0D])
    }

    @Test("a second passphrase may follow on the same descriptor")
    func second() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("old\nnew\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try read(from: pipe.fileHandleForReading.fileDescriptor) == Array("old".utf8))
        #expect(try read(from: pipe.fileHandleForReading.fileDescriptor) == Array("new".utf8))
    }

    @Test("none, an empty one and one that never ends are refused", arguments: [0, 1, 5_000])
    func refused(count: Int) {
        let bytes = count == 1 ? [UInt8(ascii: "\n")] : Array(repeating: UInt8(ascii: "a"), count: count)
        #expect { try read(bytes) } throws: { ($0 as? CommandFailure)?.status == .usage }
    }

    @Test("a descriptor that nobody opened is named in the error")
    func closed() {
        #expect { try read(from: 997) } throws: { ($0 as? CommandFailure)?.message.contains("997") == true }
    }

    @Test("without a terminal nobody is asked")
    func nobody() {
        #expect { _ = try PassphraseReader(mayAsk: false).ask("Passphrase") } throws: {
            ($0 as? CommandFailure)?.status == .locked
        }
    }
}
