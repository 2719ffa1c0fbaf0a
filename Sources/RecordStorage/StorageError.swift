// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// The reason why an operation of the cache failed. It is the only error type below the public interface, and never
/// contains a secret, a user's name or a key.
///
/// Only public functions wrap it in a `TokenCacheError`.
package struct StorageError: Error, Hashable, Sendable {
    package let code: Code
    /// The affected file or folder, if any.
    package let path: String?
    /// A sentence fragment to display that describes the finding. Never contains content.
    package let detail: String?
    /// A sentence of advice, without its period, where the code alone does not suggest what to do.
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

    /// The error thrown by the caller's own code, if that is the reason. It is never displayed, because its content is
    /// unknown.
    package var underlying: (any Error)? { cause?.error }

    /// The reasons that callers distinguish.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another process or thread held the lock past the deadline. `detail` names its process id.
        case busy
        /// The deadline passed while waiting for something other than a lock.
        case timeout
        /// The group or file does not exist, and the call does not create it.
        case notFound
        /// The file or item already exists.
        case exists
        /// The environment names no home folder, and the caller specified no folder.
        case homeMissing
        /// The name of the group is not allowed.
        case invalidName
        /// The file or folder belongs to another user, is readable by others, or is in a folder that others can write
        /// to.
        case unsafePermissions
        /// A symbolic link, FIFO, folder or device exists where a regular file (or folder) of the library is expected.
        case unsafeFile
        /// The folder is on a network file system, whose locks are unreliable.
        case networkFileSystem
        /// The process lacks permission, or the mount is read-only.
        case readOnly
        /// The disk or quota is full, or the file size limit is reached.
        case full
        /// It is unknown whether the last write is durable.
        case indeterminate
        /// Bytes do not verify. They are left unchanged.
        case damaged
        /// The file belongs to another group, or is another kind of file.
        case foreign
        /// A newer version wrote the data. This version never rewrites it.
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
        /// The call was made in a forked child process, where the keys are deliberately unavailable.
        case forkedProcess
        /// The data is too large for this store.
        case tooLarge
        /// The group keeps its records in another kind of store than requested.
        case storageMismatch
        /// The folder of the group was moved or replaced after it was opened.
        case storageMoved
        /// The keyring cannot be reached, because the library, the session bus, the service or the collection is
        /// missing.
        case keyringMissing
        /// The keyring is locked, so its contents are unknown.
        case keyringLocked
        /// The user dismissed the keyring's prompt.
        case promptDismissed
        /// The user did not answer the keyring's prompt in time; the prompt was withdrawn.
        case promptPending
        /// The keyring refused a request, or returned an invalid answer.
        case keyringRefused
        /// A required item is missing from the keyring.
        case keyringItemMissing
        /// The group of this name in the keyring belongs to another folder.
        case groupElsewhere
        /// An older state of the group seems to have replaced a newer one.
        case rollbackSuspected
        /// The store was closed.
        case closed
        /// Another system error; see `errno`.
        case system
        /// Memory, or lockable memory, is exhausted.
        case outOfMemory
        /// A callback or the caller's task cancelled the operation; no change was made.
        case cancelled

        // MARK: Arguments

        /// The arguments of the call are invalid.
        case invalidRequest
        /// The token response is not a success response.
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
        /// More than one account is signed in, but the call expects one.
        case severalAccounts
        /// Another thread or process was still renewing the token at the deadline.
        case renewalBusy
        /// The caller's closure that redeems the refresh token threw an error; see `underlying`.
        case renewalFailed
        /// The token endpoint is unavailable, and no stored token is valid.
        case renewalUnavailable
    }
}

extension StorageError.Code {
    /// Whether one secret is missing, unavailable now, or wrong, so that another way to open the group may succeed.
    package var concernsOneSecret: Bool {
        switch self {
        case .keyRejected, .keyMissing, .keyFileInvalid, .unsafeFile, .unsafePermissions, .unsupportedKDF,
            .keyringMissing, .keyringLocked, .keyringItemMissing, .keyringRefused, .promptDismissed, .promptPending,
            .timeout:
            true
        case .busy, .notFound, .exists, .homeMissing, .invalidName, .networkFileSystem, .readOnly, .full,
            .indeterminate, .damaged, .foreign, .unsupportedVersion, .tokenGone, .forkedProcess, .tooLarge,
            .storageMismatch, .storageMoved, .groupElsewhere, .rollbackSuspected, .closed, .system, .outOfMemory,
            .cancelled, .invalidRequest, .invalidResponse, .malformedDocument, .passphraseSlotExists, .lastSlot,
            .tooManySlots, .slotNotFound, .signedOut, .severalAccounts, .renewalBusy, .renewalFailed,
            .renewalUnavailable:
            false
        }
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
