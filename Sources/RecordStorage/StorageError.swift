// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// The reason that the cache could not do what was asked: the one error type below the public interface. Never contains a
/// secret, a user's name or a key.
///
/// Public functions wrap it in a `TokenCacheError`, and only they do.
package struct StorageError: Error, Hashable, Sendable {
    package let code: Code
    /// The file or folder concerned, if any.
    package let path: String?
    /// A sentence fragment that says what was found, fit to display. Never contains content.
    package let detail: String?
    /// What to do about it, where the kind of error alone does not say: one sentence without its period.
    package let advice: String?
    /// The error of the system call, if any.
    package let errno: Errno?
    /// The byte offset of the error in a document, if known.
    package let byteOffset: Int?
    private let cause: Cause?

    package init(
        _ code: Code,
        path: String? = nil,
        detail: String? = nil,
        advice: String? = nil,
        errno: Errno? = nil,
        byteOffset: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.path = path
        self.detail = detail
        self.advice = advice
        self.errno = errno
        self.byteOffset = byteOffset
        cause = underlying.map { Cause($0) }
    }

    /// The error that the caller's own code threw, if that is the reason. Its content is unknown, so it is never displayed.
    package var underlying: (any Error)? { cause?.error }

    /// The reasons that callers distinguish.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another process or thread held the lock past the deadline. `detail` names its process id.
        case busy
        /// The deadline passed while waiting for something other than a lock.
        case timeout
        /// The group or file does not exist, and creating it was not requested.
        case notFound
        /// The file or item already exists.
        case exists
        /// The environment names no home folder, and the caller no other folder.
        case homeMissing
        /// A group name outside the allowed form.
        case invalidName
        /// Owned by another user, readable by others, or in a folder that others can write.
        case unsafePermissions
        /// A symbolic link, FIFO, folder or device where a regular file (or folder) of ours belongs.
        case unsafeFile
        /// A network file system, whose locks cannot be relied on.
        case networkFileSystem
        /// The process lacks permission, or the mount is read-only.
        case readOnly
        /// The disk or quota is full, or the limit on the size of files is reached.
        case full
        /// It is unknown whether the last write is durable.
        case indeterminate
        /// Bytes do not verify. Nothing was overwritten.
        case damaged
        /// The file belongs to another group, or is of another kind.
        case foreign
        /// Written by a newer version. This version never rewrites it.
        case unsupportedVersion
        /// The given key material opens no key slot.
        case keyRejected
        /// No key material was given, or it was not found.
        case keyMissing
        /// The key file is too short, too long or not a key file of this library.
        case keyFileInvalid
        /// The cost of a passphrase slot is outside the accepted bounds.
        case unsupportedKDF
        /// A sign-out removed the secret box after it was looked up.
        case tokenGone
        /// Called in a child process after fork, where the keys are deliberately unavailable.
        case forkedProcess
        /// Too large for this store.
        case tooLarge
        /// The group keeps its records in another kind of store than the one asked for.
        case storageMismatch
        /// The folder of the group was moved after it was opened, or another folder has taken its place.
        case storageMoved
        /// No keyring can be reached: no library, no session bus, no service, no collection.
        case keyringMissing
        /// The keyring is locked, so nothing is known about its contents.
        case keyringLocked
        /// The user dismissed the keyring's prompt.
        case promptDismissed
        /// The user did not answer the keyring's prompt in time; the prompt was withdrawn.
        case promptPending
        /// The keyring refused, or returned an invalid answer.
        case keyringRefused
        /// A required item is missing from the keyring.
        case keyringItemMissing
        /// The keyring holds a group of this name that belongs to another folder.
        case groupElsewhere
        /// An older state of the group has taken the place of a newer one.
        case rollbackSuspected
        /// The store was closed.
        case closed
        /// Another system error; see `errno`.
        case system
        /// There is not enough memory, or not enough lockable memory.
        case outOfMemory
        /// A callback or the caller's task cancelled the operation; nothing was written.
        case cancelled

        // MARK: Arguments

        /// The arguments of the call are invalid.
        case invalidRequest
        /// The token response is not a successful one.
        case invalidResponse
        /// The document breaks a rule of its format.
        case malformedDocument

        // MARK: Key slots

        /// The group already has a passphrase slot.
        case passphraseSlotExists
        /// The last key slot cannot be removed.
        case lastSlot
        /// All key slots are in use.
        case tooManySlots
        /// No key slot has this id.
        case slotNotFound

        // MARK: Accounts and renewal

        /// The account was signed out before the response of a silent renewal arrived.
        case signedOut
        /// More than one account is signed in, where the call expects one.
        case severalAccounts
        /// Another thread or process was still renewing the token at the deadline.
        case renewalBusy
        /// The caller's closure that redeems a refresh token threw; see `underlying`.
        case renewalFailed
        /// The token endpoint is unavailable, and no stored token is valid.
        case renewalUnavailable
    }
}

extension StorageError {
    /// An error of the caller's own code, compared by identity.
    private final class Cause: Hashable, Sendable {
        let error: any Error

        init(_ error: any Error) {
            self.error = error
        }

        static func == (left: Cause, right: Cause) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}
