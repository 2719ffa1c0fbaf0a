import Sealing
import TokenCaching

/// Reads passphrases directly into secret memory: from a descriptor, or from the terminal with echo off.
struct PassphraseReader {
    /// The maximum length that the library accepts, and one byte to detect excess input.
    private static let longest = Passphrase.maximumByteCount + 1

    private let mayAsk: Bool

    /// - Parameter mayAsk: whether a user is at standard input.
    init(mayAsk: Bool) {
        self.mayAsk = mayAsk
    }

    /// The first line of a descriptor, without its line end. A terminal is prompted with echo off.
    ///
    /// Reads byte by byte, so that a second passphrase may follow on the same descriptor.
    func read(from descriptor: Int32, asking question: String) throws -> SecretBytes {
        guard Syscalls.isTerminal(descriptor) else { return try line(from: descriptor) }
        return try typed(on: descriptor, asking: question)
    }

    /// Prompts for a passphrase on the terminal.
    ///
    /// - Parameters:
    ///   - question: such as "Passphrase of group work".
    ///   - isNew: prompts twice, so that a typing error does not lock the user out.
    /// - Returns: the passphrase.
    /// - Throws: ``CommandFailure`` if prompting is impossible or the two differ.
    func ask(_ question: String, isNew: Bool = false) throws -> SecretBytes {
        guard mayAsk else {
            throw CommandFailure(
                .locked,
                "A passphrase is needed, and nobody can be asked here. Give it with --passphrase-fd."
            )
        }
        let first = try typed(on: 0, asking: question)
        guard isNew else { return first }
        let second = try typed(on: 0, asking: question + ", again")
        guard first.isEqual(to: second) else {
            throw CommandFailure(.failure, "The two passphrases differ. Nothing was changed; try again.")
        }
        return first
    }

    private func typed(on descriptor: Int32, asking question: String) throws -> SecretBytes {
        try EchoOff.on(descriptor) {
            let errors = OutputStream(descriptor: 2)
            errors.write(VisibleText.escaped(question) + ": ")
            errors.flush()
            return try line(from: descriptor)
        }
    }

    private func line(from descriptor: Int32) throws -> SecretBytes {
        var buffer = try SecretBytes(byteCount: Self.longest)
        var length = 0
        while length < Self.longest {
            var byte: UInt8 = 0
            let taken = try Syscalls.readByte(from: descriptor, into: &byte)
            if !taken || byte == UInt8(ascii: "\n") { break }
            var view = buffer.mutableBytes
            // SAFETY: the offset is below the count of the buffer, and a byte has no alignment.
            unsafe view.storeBytes(of: byte, toUncheckedByteOffset: length, as: UInt8.self)
            length += 1
            byte = 0
        }
        guard length < Self.longest else {
            throw CommandFailure(.usage, "The passphrase is longer than \(Self.longest - 1) bytes.")
        }
        guard length > 0 else { throw CommandFailure(.usage, "The passphrase is empty.") }
        buffer.truncate(to: length)
        return buffer
    }
}
