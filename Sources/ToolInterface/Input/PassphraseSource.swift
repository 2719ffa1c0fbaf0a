// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TokenCaching

/// The passphrases of one run of the program, kept because a descriptor can be read only once.
final class PassphraseSources {
    private struct Key: Hashable {
        let descriptor: CallersDescriptor?
        let isNew: Bool
    }

    private var sources: [Key: PassphraseSource] = [:]

    func source(_ descriptor: CallersDescriptor?, mayAsk: Bool, isNew: Bool) -> PassphraseSource {
        let key = Key(descriptor: descriptor, isNew: isNew)
        if let source = sources[key] { return source }
        let source = PassphraseSource(descriptor, mayAsk: mayAsk, isNew: isNew)
        sources[key] = source
        return source
    }

    /// Forgets an existing passphrase that was typed, so that the user is prompted again.
    ///
    /// - Returns: false if no passphrase was typed.
    func forgetTyped() -> Bool { sources[Key(descriptor: nil, isNew: false)]?.forget() ?? false }
}

/// Provides a passphrase whenever the library requests it, but reads it, or prompts the user, only once.
final class PassphraseSource: Sendable {
    /// Shared by reference, because secret memory cannot be copied implicitly.
    private final class Kept: Sendable {
        let passphrase: Passphrase

        init(_ passphrase: consuming Passphrase) {
            self.passphrase = passphrase
        }
    }

    private let kept = Mutex<Kept?>(nil)
    private let descriptor: CallersDescriptor?
    private let mayAsk: Bool
    private let isNew: Bool

    /// - Parameters:
    ///   - descriptor: the descriptor to read the passphrase from; nil prompts on the terminal.
    ///   - mayAsk: whether prompting is possible.
    ///   - isNew: whether it is a new passphrase, which has to be typed twice.
    init(_ descriptor: CallersDescriptor?, mayAsk: Bool, isNew: Bool = false) {
        self.descriptor = descriptor
        self.mayAsk = mayAsk
        self.isNew = isNew
    }

    /// Answers a request of the library.
    ///
    /// - Parameter request: the group, and the purpose.
    /// - Returns: the passphrase; nil if prompting is impossible: then the library reports a missing key.
    /// - Throws: `invalidRequest` with the reason if there is no passphrase.
    func answer(_ request: PassphraseRequest) throws(TokenCacheError) -> Passphrase? {
        if descriptor == nil && !mayAsk { return nil }
        do {
            let kept = try kept.withLock { kept in
                if let kept { return kept }
                let new = Kept(try read(request))
                kept = new
                return new
            }
            return try kept.passphrase.copy()
        } catch let error as TokenCacheError {
            throw error
        } catch {
            throw TokenCacheError(.invalidRequest, underlying: error)
        }
    }

    /// - Returns: whether there was a passphrase.
    fileprivate func forget() -> Bool {
        kept.withLock { kept in
            defer { kept = nil }
            return kept != nil
        }
    }

    private func read(_ request: PassphraseRequest) throws -> Passphrase {
        let reader = PassphraseReader(mayAsk: mayAsk)
        let isNew = isNew || request.purpose == .create
        let question = isNew ? "New passphrase for group " : "Passphrase of group "
        guard let descriptor else { return try reader.ask(question + request.group, isNew: isNew) }
        return try reader.read(from: descriptor, asking: question + request.group)
    }
}
