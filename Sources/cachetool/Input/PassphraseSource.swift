import Sealing
import Synchronization
import TokenCaching

/// The passphrases of one run of the program: what stands behind a descriptor can be read once.
final class PassphraseSources {
    private struct Key: Hashable {
        let descriptor: Int32?
        let isNew: Bool
    }

    private var sources: [Key: PassphraseSource] = [:]

    func source(_ descriptor: Int32?, mayAsk: Bool, isNew: Bool) -> PassphraseSource {
        let key = Key(descriptor: descriptor, isNew: isNew)
        if let source = sources[key] { return source }
        let source = PassphraseSource(descriptor, mayAsk: mayAsk, isNew: isNew)
        sources[key] = source
        return source
    }
}

/// Gives the library a passphrase as often as it asks for it, and reads it, or asks the person, only once.
final class PassphraseSource: Sendable {
    /// Shared instead of copied: secret memory cannot be.
    private final class Kept: Sendable {
        let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) {
            self.bytes = bytes
        }

        /// Another passphrase with the same bytes.
        func copy() throws(TokenCacheError) -> Passphrase { try Self.copy(bytes) }

        private static func copy(_ bytes: borrowing SecretBytes) throws(TokenCacheError) -> Passphrase {
            try Passphrase(copying: bytes.bytes)
        }
    }

    private let kept = Mutex<Kept?>(nil)
    private let descriptor: Int32?
    private let mayAsk: Bool
    private let isNew: Bool

    /// - Parameters:
    ///   - descriptor: where the passphrase stands; nil asks on the terminal.
    ///   - mayAsk: whether anybody can be asked.
    ///   - isNew: whether it opens nothing yet: then it is typed twice.
    init(_ descriptor: Int32?, mayAsk: Bool, isNew: Bool = false) {
        self.descriptor = descriptor
        self.mayAsk = mayAsk
        self.isNew = isNew
    }

    /// Answers the library.
    ///
    /// - Parameter request: for which group, and what for.
    /// - Returns: nil where nobody can be asked: then the library says that a key is missing.
    /// - Throws: `invalidRequest` with the reason where there is no passphrase to be had.
    func answer(_ request: PassphraseRequest) throws(TokenCacheError) -> Passphrase? {
        if descriptor == nil && !mayAsk { return nil }
        do {
            let kept = try kept.withLock { kept in
                if let kept { return kept }
                let new = Kept(try read(request))
                kept = new
                return new
            }
            return try kept.copy()
        } catch let error as TokenCacheError {
            throw error
        } catch let error as SealingError {
            throw TokenCacheError(error)
        } catch let error as CommandFailure {
            throw TokenCacheError(.invalidRequest, detail: error.message)
        } catch {
            throw TokenCacheError(.invalidRequest)
        }
    }

    private func read(_ request: PassphraseRequest) throws -> SecretBytes {
        let reader = PassphraseReader(mayAsk: mayAsk)
        let isNew = isNew || request.purpose == .create
        let question = isNew ? "New passphrase for group " : "Passphrase of group "
        guard let descriptor else { return try reader.ask(question + request.group, isNew: isNew) }
        return try reader.read(from: descriptor, asking: question + request.group)
    }
}
