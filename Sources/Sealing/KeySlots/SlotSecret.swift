// SPDX-License-Identifier: Apache-2.0

// SAFETY: libsodium reads the passphrase and the salt, and writes 32 bytes to the output, while all three are lent
// to it.

/// The kind of secret that opens a key slot. The raw value is part of the format.
package enum SlotKind: UInt8, Sendable, CaseIterable {
    /// 32 random bytes stored in a keyring.
    case keyring = 1
    /// The content of a file.
    case keyFile = 2
    /// A text that the user remembers.
    case passphrase = 3

    /// Whether the secret can be guessed and is therefore stretched, at a cost stored in the slot.
    var isStretched: Bool {
        switch self {
        case .passphrase: true
        case .keyring, .keyFile: false
        }
    }

    /// Whether the user must provide the secret, in which case it is requested only if no other secret opens the group.
    package var asksUser: Bool {
        switch self {
        case .passphrase: true
        case .keyring, .keyFile: false
        }
    }

    /// Whether a group may have only one slot of this kind, because trying a second one would double the cost of
    /// opening.
    package var isSingle: Bool {
        switch self {
        case .passphrase: true
        case .keyring, .keyFile: false
        }
    }
}

extension Sequence<SlotKind> {
    /// Whether a kind limited to one slot occurs more than once.
    package var hasTooManyOfOneKind: Bool {
        var found: Set<SlotKind> = []
        return contains { $0.isSingle && !found.insert($0).inserted }
    }
}

/// A secret that opens a key slot, with its kind, in secret memory.
package final class SlotSecret: Sendable {
    /// The kind of slot that the secret opens.
    package let kind: SlotKind
    private let secret: SecretBytes

    private init(
        _ kind: SlotKind,
        _ secret: consuming SecretBytes,
        allowing byteCounts: ClosedRange<Int>
    ) throws(SealingError) {
        guard byteCounts.contains(secret.byteCount) else { throw SealingError(.invalidSecret) }
        self.kind = kind
        self.secret = secret
    }

    /// The content of a key file: 32 to 4096 bytes, all significant.
    ///
    /// - Throws: ``SealingError/Code/invalidSecret`` for another number of bytes.
    package static func keyFile(_ content: consuming SecretBytes) throws(SealingError) -> SlotSecret {
        try SlotSecret(.keyFile, content, allowing: 32...4096)
    }

    /// A passphrase: 1 to 4096 bytes, exactly as typed, all significant.
    ///
    /// - Throws: ``SealingError/Code/invalidSecret`` for another number of bytes.
    package static func passphrase(_ passphrase: consuming SecretBytes) throws(SealingError) -> SlotSecret {
        try SlotSecret(.passphrase, passphrase, allowing: 1...4096)
    }

    /// The 32 bytes stored in a keyring.
    ///
    /// - Throws: ``SealingError/Code/invalidSecret`` for another number of bytes.
    package static func keyring(_ secret: consuming SecretBytes) throws(SealingError) -> SlotSecret {
        try SlotSecret(.keyring, secret, allowing: 32...32)
    }

    /// The 32-byte wrapping key that a slot derives from this secret. For a passphrase this takes the time and memory
    /// set by `parameters`.
    ///
    /// - Throws: ``SealingError/Code/unsupportedKDF`` before any work is done, ``SealingError/Code/outOfMemory``.
    package func stretched(_ parameters: KDFParameters?, salt: [UInt8]) throws(SealingError) -> SealingKey {
        try secret.checkProcess()
        switch kind {
        case .keyring:
            return try SealingKey(secret.copy())
        case .keyFile:
            var hash = unsafe try SecretHash(key: nil, byteCount: 32)
            hash.update(Label.keyFile)
            secret.withBytes { hash.update($0) }
            return try SealingKey(hash.finalize())
        case .passphrase:
            guard let parameters, parameters.isAcceptable, salt.count == Sodium.saltByteCount else {
                throw SealingError(.unsupportedKDF)
            }
            return try secret.withBytes { (passphrase) throws(SealingError) in
                try Self.stretch(passphrase, parameters, salt: salt)
            }
        }
    }

    private static func stretch(
        _ passphrase: RawSpan,
        _ parameters: KDFParameters,
        salt: [UInt8]
    ) throws(SealingError) -> SealingKey {
        if let available = ControlGroup.availableByteCount(), available < UInt64(parameters.memLimit) {
            throw SealingError(.outOfMemory)
        }
        let key = try SecretBytes(byteCount: SealingKey.byteCount)
        let isDone = unsafe salt.withUnsafeBufferPointer { salt in
            unsafe passphrase.withUnsafeBytes { passphrase in
                guard let salt = salt.baseAddress else { return false }
                return unsafe Sodium.argon2id(
                    to: UnsafeMutableRawBufferPointer(start: key.unsafeBase, count: key.byteCount),
                    passphrase: passphrase,
                    salt: salt,
                    passes: UInt64(parameters.opsLimit),
                    memoryByteCount: parameters.memLimit
                )
            }
        }
        guard isDone else { throw SealingError(.outOfMemory) }
        return try SealingKey(key)
    }
}

extension SlotSecret: CustomStringConvertible, CustomReflectable {
    /// The kind, without the secret.
    package var description: String { "SlotSecret(\(kind))" }
    /// No children, so that `dump` does not show the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
