package import SystemPackage

/// Why a store or its folder could not do what it was asked. Never holds a secret, a name of a person or a key.
package struct StorageError: Error, Hashable, Sendable {
    package let code: Code
    /// The file or folder concerned, where there is one.
    package let path: String?
    /// A sentence fragment with what exactly was found, fit for people. Never content.
    package let detail: String?
    /// What the system said, where it said anything.
    package let errno: Errno?

    package init(_ code: Code, path: String? = nil, detail: String? = nil, errno: Errno? = nil) {
        self.code = code
        self.path = path
        self.detail = detail
        self.errno = errno
    }

    /// The cases that callers tell apart.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another process or thread held the lock past the deadline. `detail` names its process id.
        case busy
        /// The deadline passed for another reason than a lock.
        case timeout
        /// Nothing is there, and creating was not asked for.
        case notFound
        /// It exists already.
        case exists
        /// The environment names no home folder, and the caller no other one.
        case homeMissing
        /// A group name outside the allowed form.
        case invalidName
        /// Owned by another user, readable by others, or in a folder that others can write.
        case unsafePermissions
        /// A symbolic link, FIFO, folder or device where a regular file (or folder) of ours belongs.
        case unsafeFile
        /// A network file system, whose locks cannot be relied on.
        case networkFileSystem
        /// No right to do that, or a read-only mount.
        case readOnly
        /// The disk or quota is full, or the limit on the size of files is reached.
        case full
        /// It is not known whether the last write is durable.
        case indeterminate
        /// Bytes that do not verify. Nothing was overwritten.
        case damaged
        /// A file of another group, or of another kind.
        case foreign
        /// Written by a newer version, which this one never rewrites.
        case unsupportedVersion
        /// No key slot opens with what was given.
        case keyRejected
        /// No key material was given, or it is not there.
        case keyMissing
        /// The key file is too short, too long or not ours.
        case keyFileInvalid
        /// A passphrase slot whose cost is outside the accepted bounds.
        case unsupportedKDF
        /// The secret box was removed by a sign-out since it was looked up.
        case tokenGone
        /// Called in a child process after fork, where keys are gone on purpose.
        case forkedProcess
        /// Too large for this store.
        case tooLarge
        /// The group keeps its records in another kind of store than the one asked for.
        case storageMismatch
        /// The folder of the group is not where it was when it was opened, or another one lies there.
        case storageMoved
        /// No keyring can be reached: no library, no session bus, no service, no collection.
        case keyringMissing
        /// The keyring is locked. Nothing is known of what is in it.
        case keyringLocked
        /// The person dismissed what the keyring asked.
        case promptDismissed
        /// The keyring waits for an answer of the person; the question was withdrawn.
        case promptPending
        /// The keyring refused, or gave an answer that makes no sense.
        case keyringRefused
        /// An item that must be there is not in the keyring.
        case keyringItemMissing
        /// The keyring holds a group of this name that belongs to another folder.
        case groupElsewhere
        /// An older state of the group stands in the place of a newer one.
        case rollbackSuspected
        /// `body` of a commit gave up; nothing was written.
        case abandoned
        /// The store was closed.
        case closed
        /// The system refused something else; `errno` tells.
        case system
    }
}
