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
    func read(from descriptor: CallersDescriptor, asking question: String) throws -> Passphrase {
        try SecretLine.read(from: descriptor, asking: question) { (descriptor) throws(TokenCacheError) in
            try Passphrase(readingLineFrom: descriptor)
        }
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
        let first = try typed(asking: question)
        guard isNew else { return first }
        let second = try typed(asking: question + ", again")
        guard first.isEqual(to: second) else {
            throw CommandFailure(.failure, "The two passphrases differ. Nothing was changed; try again.")
        }
        return first
    }

    private func typed(asking question: String) throws -> Passphrase {
        try SecretLine.typed(on: 0, asking: question) { (terminal) throws(TokenCacheError) in
            try Passphrase(readingLineFrom: terminal)
        }
    }
}
