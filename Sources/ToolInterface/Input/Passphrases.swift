// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TokenCaching

/// The passphrases of one run of the program: from a descriptor, or from the terminal with echo off, directly into secret
/// memory. Each is read, or asked for, only once, however often the library requests it.
final class Passphrases: Sendable {
    private struct Key: Hashable {
        let descriptor: CallersDescriptor?
        let isNew: Bool
    }

    /// Shared by reference, because secret memory cannot be copied implicitly.
    private final class Kept: Sendable {
        let passphrase: Passphrase

        init(_ passphrase: consuming Passphrase) {
            self.passphrase = passphrase
        }
    }

    private let kept = Mutex<[Key: Kept]>([:])
    private let mayAsk: Bool

    /// - Parameter mayAsk: whether a user is at standard input.
    init(mayAsk: Bool) {
        self.mayAsk = mayAsk
    }

    /// Answers a request of the library.
    ///
    /// - Parameters:
    ///   - request: the group, and the purpose.
    ///   - descriptor: the descriptor to read the passphrase from; nil prompts on the terminal.
    ///   - isNew: whether it is a new passphrase, which has to be typed twice.
    /// - Returns: the passphrase; nil if prompting is impossible: then the library reports a missing key.
    /// - Throws: `invalidRequest` with the reason if there is no passphrase.
    func answer(
        _ request: PassphraseRequest,
        from descriptor: CallersDescriptor?,
        isNew: Bool = false
    ) throws(TokenCacheError) -> Passphrase? {
        if descriptor == nil && !mayAsk { return nil }
        let isTypedTwice = isNew || request.purpose == .create
        let question = (isTypedTwice ? "New passphrase for group " : "Passphrase of group ") + request.group
        do {
            let known = try kept.withLock { kept in
                if let known = kept[Key(descriptor: descriptor, isNew: isNew)] { return known }
                let new =
                    if let descriptor { Kept(try Self.read(from: descriptor, asking: question)) } else {
                        Kept(try ask(question, isNew: isTypedTwice))
                    }
                kept[Key(descriptor: descriptor, isNew: isNew)] = new
                return new
            }
            return try known.passphrase.copy()
        } catch let error as TokenCacheError {
            throw error
        } catch {
            throw TokenCacheError(.invalidRequest, underlying: error)
        }
    }

    /// Forgets an existing passphrase that was typed, so that the user is prompted again.
    ///
    /// - Returns: false if no passphrase was typed.
    func forgetTyped() -> Bool {
        kept.withLock { $0.removeValue(forKey: Key(descriptor: nil, isNew: false)) != nil }
    }

    /// Reads the first line from a descriptor, without its line end. If the descriptor is a terminal, prompts with echo
    /// off.
    static func read(from descriptor: CallersDescriptor, asking question: String) throws -> Passphrase {
        try SecretLine.read(from: descriptor, asking: question) { (descriptor) throws(TokenCacheError) in
            try Passphrase(readingLineFrom: descriptor)
        }
    }

    /// Prompts for a passphrase on the terminal; twice for a new one, so that a typing error does not lock the user out.
    private func ask(_ question: String, isNew: Bool) throws -> Passphrase {
        let first = try Self.typed(asking: question)
        guard isNew else { return first }
        let second = try Self.typed(asking: question + ", again")
        guard first.isEqual(to: second) else {
            throw CommandFailure(.failure, "The two passphrases differ. Nothing was changed; try again.")
        }
        return first
    }

    private static func typed(asking question: String) throws -> Passphrase {
        try SecretLine.typed(on: 0, asking: question) { (terminal) throws(TokenCacheError) in
            try Passphrase(readingLineFrom: terminal)
        }
    }
}
