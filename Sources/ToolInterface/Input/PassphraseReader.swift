// SPDX-License-Identifier: Apache-2.0

import TokenCaching

/// Reads passphrases directly into secret memory: from a descriptor, or from the terminal with echo off.
struct PassphraseReader {
    private let mayAsk: Bool

    /// - Parameter mayAsk: whether a user is at standard input.
    init(mayAsk: Bool) {
        self.mayAsk = mayAsk
    }

    /// Reads the first line from a descriptor, without its line end. If the descriptor is a terminal, prompts with echo
    /// off.
    ///
    /// Reads byte by byte, so that a second passphrase may follow on the same descriptor.
    func read(from descriptor: CallersDescriptor, asking question: String) throws -> Passphrase {
        guard Syscalls.isTerminal(descriptor.duplicate) else {
            return try line(from: descriptor.duplicate, typedAs: descriptor.number)
        }
        return try typed(on: descriptor.duplicate, asking: question)
    }

    /// Prompts for a passphrase on the terminal.
    ///
    /// - Parameters:
    ///   - question: the prompt, such as "Passphrase of group work".
    ///   - isNew: whether to prompt twice, so that a typing error does not lock the user out.
    /// - Returns: the passphrase.
    /// - Throws: ``CommandFailure`` if prompting is impossible or the two passphrases differ.
    func ask(_ question: String, isNew: Bool = false) throws -> Passphrase {
        guard mayAsk else {
            throw CommandFailure(
                .locked,
                "A passphrase is needed, but prompting is not possible here. Provide it with --passphrase-fd."
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

    private func typed(on descriptor: Int32, asking question: String) throws -> Passphrase {
        try ElapsedTimeLine.hidden {
            try EchoOff.on(descriptor) {
                let errors = OutputStream(descriptor: 2)
                errors.write(VisibleText.escaped(question) + ": ")
                errors.flush()
                return try line(from: descriptor, typedAs: descriptor)
            }
        }
    }

    private func line(from descriptor: Int32, typedAs number: Int32) throws -> Passphrase {
        do throws(TokenCacheError) {
            return try Passphrase(readingLineFrom: descriptor)
        } catch {
            guard error.code == .system else { throw error }
            throw CommandFailure(
                .usage,
                "Descriptor \(number) cannot be read: \(Syscalls.message(for: error.systemErrorNumber ?? 0)). "
                    + "Open it for cachetool, as in --passphrase-fd 3 3<FILE."
            )
        }
    }
}
