// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension TokenCacheError {
    /// The kinds of error that callers distinguish.
    ///
    /// Later versions may add codes: a `switch` needs a `default`.
    public struct Code: Hashable, Sendable {
        let reason: StorageError.Code

        init(_ reason: StorageError.Code) {
            self.reason = reason
        }
    }
}

// MARK: - Arguments of the caller

extension TokenCacheError.Code {
    /// The call is not valid: it names no scope or no account, or the client id is empty. Correct its arguments.
    public static let invalidRequest = Self(.invalidRequest)

    /// The token response is not what a token endpoint sends on success: not a JSON object, without any token, or with
    /// a member of the wrong type. Nothing was saved. Check the response; do not pass an error response here.
    public static let invalidResponse = Self(.invalidResponse)

    /// The document is not valid JSON or breaks a rule of its format, at ``TokenCacheError/byteOffset``. Nothing was
    /// imported.
    public static let malformedDocument = Self(.malformedDocument)

    /// The input is larger or more deeply nested than the limits allow, or too large for this store. Raise the limit,
    /// or pass less.
    public static let tooLarge = Self(.tooLarge)

    /// A group name outside `[A-Za-z0-9._-]{1,128}` or with a leading dot. Choose another name.
    public static let invalidName = Self(.invalidName)

    /// The environment names no home folder to keep groups or key files in. Set `HOME` to an absolute path, or name a
    /// root folder.
    public static let homeMissing = Self(.homeMissing)

    /// Nothing with this name exists, and this call does not create it. Check the name.
    public static let notFound = Self(.notFound)

    /// Something with this name exists already. Open it instead, or choose another name.
    public static let exists = Self(.exists)

    /// The group keeps its records in a different kind of store from the one requested: request that one, or
    /// `.automatic`. If an open cache throws this, the group was migrated: open the cache again.
    public static let storageMismatch = Self(.storageMismatch)

    /// The folder of the group was renamed or replaced while it was open, as when a backup is restored over it. Nothing
    /// was written, and every later call of this cache fails. Open it again.
    public static let storageMoved = Self(.storageMoved)

    /// The cache was closed. Open it again.
    public static let closed = Self(.closed)
}

// MARK: - Waiting and room

extension TokenCacheError.Code {
    /// Another process or thread held the group's lock past the deadline. Nothing was changed. Try again.
    public static let busy = Self(.busy)

    /// The call took longer than its timeout, for a reason other than a lock. Nothing was changed. Try again.
    public static let timeout = Self(.timeout)

    /// The disk or the quota is full, or the limit on file sizes is reached. Nothing was changed. Make room, then try
    /// again.
    ///
    /// Removals still work if overwriting takes no room (ext4, XFS without copies that share blocks, tmpfs).
    public static let full = Self(.full)

    /// It is unknown whether the last change is durable. Read the data back before you rely on the change, then repeat
    /// the change.
    public static let indeterminate = Self(.indeterminate)

    /// There is too little memory, or too little that may be locked (`ulimit -l`). Free some, or raise the limit.
    public static let outOfMemory = Self(.outOfMemory)

    /// The caller, or its task, cancelled the operation. Unfinished parts have no effect.
    public static let cancelled = Self(.cancelled)

    /// Another system call failed. ``TokenCacheError/systemErrorNumber`` says why.
    public static let system = Self(.system)
}

// MARK: - Files

extension TokenCacheError.Code {
    /// Another user owns the file or folder, or other users can read or write it. Nothing was read. Correct owner and
    /// mode.
    public static let unsafePermissions = Self(.unsafePermissions)

    /// A symbolic link, FIFO, folder or device is where a regular file should be. Nothing was read. Remove it.
    public static let unsafeFile = Self(.unsafeFile)

    /// The folder is on a network file system, whose locks cannot be relied on. Use a local one, or set
    /// `TOKEN_CACHE_ALLOW_NETWORK_FS=1` if you know that they work across all machines.
    public static let networkFileSystem = Self(.networkFileSystem)

    /// This process may not open or write the file, or the file system is mounted read-only. Check the owner and the
    /// permissions; a group that is already open can still be read.
    public static let readOnly = Self(.readOnly)

    /// The stored data is damaged: it does not verify. Nothing was overwritten. Restore a backup, or have
    /// `cachetool repair` save what it can.
    public static let damaged = Self(.damaged)

    /// The file belongs to another group or is of another kind. Nothing was overwritten. Check the path.
    public static let foreign = Self(.foreign)

    /// A newer version wrote this, and this version never rewrites it. Update this program.
    public static let unsupportedVersion = Self(.unsupportedVersion)
}

// MARK: - Keys

extension TokenCacheError.Code {
    /// No key slot opens with the given passphrase or key file. Give the right one; if it is right, the slot may be
    /// damaged.
    public static let keyRejected = Self(.keyRejected)

    /// No key material was given, or the key file is missing. Restore the key file, or unlock with another slot.
    public static let keyMissing = Self(.keyMissing)

    /// The key file is shorter than 32 or longer than 4,096 bytes, or not a private file of this user. Choose another.
    public static let keyFileInvalid = Self(.keyFileInvalid)

    /// A passphrase slot demands a cost outside the accepted bounds: it may be damaged or forged. Unlock with another
    /// slot, then replace this one.
    public static let unsupportedKDF = Self(.unsupportedKDF)

    /// The group already has a passphrase slot, and may have only one. Remove it first.
    public static let passphraseSlotExists = Self(.passphraseSlotExists)

    /// The last key slot cannot be removed, because nothing else opens the group. Add another one first.
    public static let lastSlot = Self(.lastSlot)

    /// The group has as many key slots as it can hold. Remove one first.
    public static let tooManySlots = Self(.tooManySlots)

    /// There is no key slot with that number or name. List them and choose one of those.
    public static let slotNotFound = Self(.slotNotFound)

    /// The call was made in a child process after `fork`, where the keys are deliberately absent. Open the cache again
    /// in the child; if the parent used a keyring, start the child with `posix_spawn`.
    public static let forkedProcess = Self(.forkedProcess)
}

// MARK: - The keyring

extension TokenCacheError.Code {
    /// No keyring can be reached: libsecret, the session bus, the service or its collection is missing. Start a
    /// keyring.
    public static let keyringMissing = Self(.keyringMissing)

    /// The keyring is locked, so its contents are unknown. Unlock it, for example with `cachetool unlock`, or allow it
    /// to prompt (``KeyringPrompts``).
    public static let keyringLocked = Self(.keyringLocked)

    /// The user dismissed the prompt of the keyring. Nothing was changed. Try again when they want to.
    public static let promptDismissed = Self(.promptDismissed)

    /// The keyring prompted the user, who did not answer in time. The prompt was withdrawn. Try again.
    public static let promptPending = Self(.promptPending)

    /// The keyring refused the request, or its answer was invalid. See the detail.
    public static let keyringRefused = Self(.keyringRefused)

    /// A required item of the group is missing from the keyring. Nothing was created in its place. Restore the keyring;
    /// if the item contained records, `cachetool repair` continues without them.
    public static let keyringItemMissing = Self(.keyringItemMissing)

    /// The keyring contains a group of this name that belongs to another folder, such as that of another home or
    /// sandbox. Nothing was written. Use that folder, or another name, or give the group to this folder.
    public static let groupElsewhere = Self(.groupElsewhere)

    /// The file is older than the state that the group's folder or the keyring remembers: an old copy may have been
    /// restored, and may contain accounts that were signed out since. Nothing was changed. Restore the newer file, or accept this one with
    /// `cachetool repair --accept-rollback`.
    public static let rollbackSuspected = Self(.rollbackSuspected)
}

// MARK: - Tokens

extension TokenCacheError.Code {
    /// The token was removed between lookup and use, by a sign-out or another process. Query the cache again.
    public static let tokenGone = Self(.tokenGone)

    /// The account was signed out before this response of a silent renewal arrived. Nothing was saved. Only an
    /// interactive sign-in brings the account back.
    public static let signedOut = Self(.signedOut)

    /// Another thread or process was still renewing the token when the timeout passed. It may have redeemed the refresh
    /// token: do not redeem it outside the cache. Try again.
    public static let renewalBusy = Self(.renewalBusy)

    /// The closure that was to redeem the refresh token threw ``TokenCacheError/underlying``. Nothing was changed.
    public static let renewalFailed = Self(.renewalFailed)

    /// The server cannot be reached, has a problem, or asked for time, and no stored token is valid. The refresh token
    /// stays. ``TokenCacheError/errorResponse`` contains the server's response, and how long to wait.
    public static let renewalUnavailable = Self(.renewalUnavailable)

    /// The application is signed in to more than one account, and this call is only for applications that work with one
    /// account at a time; or an account is named by a subject that exists at several issuers.
    public static let severalAccounts = Self(.severalAccounts)
}

// MARK: - Text

extension TokenCacheError.Code: CustomStringConvertible {
    /// The code's name, such as `busy`: stable across versions and suitable for programs.
    public var name: String { reason.rawValue }

    /// The same as ``name``.
    public var description: String { name }

    var whatHappened: String { reason.texts.0 }

    var whatToDo: String { reason.texts.1 }
}

extension StorageError.Code {
    /// What happened, and what to do.
    fileprivate var texts: (String, String) {
        switch self {
        case .invalidRequest: ("The call is not valid", "Correct its arguments")
        case .invalidResponse:
            (
                "The input is not a successful response of a token endpoint",
                "Nothing was saved; pass the body of the response that contains the tokens"
            )
        case .malformedDocument:
            ("The document does not have the expected format", "Nothing was imported; correct the document")
        case .tooLarge: ("The data is larger than the limit", "Raise the limit, or pass less")
        case .invalidName:
            (
                "The name of the group is not valid",
                "Use 1 to 128 letters, digits, dots, dashes and underscores, without a leading dot"
            )
        case .homeMissing: ("No home folder is known", "Set HOME to an absolute path, or name a root folder")
        case .notFound: ("Nothing with this name exists", "Check the name")
        case .exists: ("It already exists", "Open it, or choose another name")
        case .storageMismatch:
            (
                "The group uses a different kind of storage from the one requested",
                "Request the kind that it uses, or automatic choice; one in the keyring takes no key file and no passphrase"
            )
        case .storageMoved:
            (
                "The folder of the group was moved or replaced while it was open",
                "Nothing was written; open the cache again"
            )
        case .closed: ("The cache is closed", "Open it again")
        case .busy: ("Another process or thread is changing the group", "Nothing was changed; try again")
        case .timeout: ("The operation took too long", "Nothing was changed; try again")
        case .full: ("The disk or the quota is full", "Free some space, then try again")
        case .indeterminate:
            (
                "It is unknown whether the change reached the disk",
                "Read it back, and repeat the change if it is missing"
            )
        case .outOfMemory:
            (
                "There is not enough memory",
                "Free some, or raise the limit of the container, or that on locked memory (ulimit -l)"
            )
        case .cancelled: ("The operation was cancelled", "Repeat it if you still need it")
        case .system: ("A system call failed", "Resolve the system error, then try again")
        case .unsafePermissions:
            (
                "The owner or the permissions are not safe",
                "Run this as the owner, or make it private: mode 0600 for a file, 0700 for a folder"
            )
        case .unsafeFile: ("This is not a regular file", "Move it away, then try again")
        case .networkFileSystem:
            (
                "The folder is on a network file system, whose locks are not reliable",
                "Use a local folder, or set TOKEN_CACHE_ALLOW_NETWORK_FS=1"
            )
        case .readOnly:
            (
                "This process may not read or change the file or folder",
                "Check whether the file system is mounted read-only, and check the owner and the permissions"
            )
        case .damaged:
            ("The stored data is damaged", "Nothing was overwritten; restore a backup, or run cachetool repair")
        case .foreign:
            (
                "The file belongs to another group, or to none",
                "Nothing was overwritten; check the path"
            )
        case .unsupportedVersion: ("The file was written by a newer version", "Update this program")
        case .keyRejected:
            (
                "This key does not open the group",
                "Use the right passphrase or key file; if it is the right one, a key slot may be damaged: "
                    + "see cachetool repair --dry-run"
            )
        case .keyMissing:
            ("No key that opens the group is available", "Restore the key file, or open the group with another key")
        case .keyFileInvalid:
            ("The key file cannot be used", "Use a regular file that you own, with mode 0600 and 32 to 4,096 bytes")
        case .unsupportedKDF:
            (
                "A passphrase slot demands a cost outside the accepted bounds",
                "It may be damaged or forged: see cachetool repair --dry-run, or open the group with "
                    + "another key and replace the slot"
            )
        case .passphraseSlotExists: ("The group already has a passphrase", "Remove its key slot first")
        case .lastSlot: ("The last key slot cannot be removed", "Add another key slot first")
        case .tooManySlots: ("The group has no free key slot", "Remove a key slot first")
        case .slotNotFound: ("There is no such key slot", "List the key slots and choose one of them")
        case .forkedProcess:
            (
                "A cache cannot be used in a forked child process",
                "Open it again in the child; if the parent used a keyring, start the child with posix_spawn"
            )
        case .keyringMissing: ("No keyring can be reached", "Start a keyring in this session")
        case .keyringLocked: ("The keyring is locked", "Unlock it with cachetool unlock, or log in to its session")
        case .promptDismissed:
            ("The prompt of the keyring was dismissed", "Nothing was changed; try again and answer the prompt")
        case .promptPending: ("The prompt of the keyring was not answered in time", "It was withdrawn; try again")
        case .keyringRefused:
            ("The keyring refused the request, or gave an invalid answer", "Restart the keyring, then try again")
        case .keyringItemMissing:
            (
                "An item of the group is missing from the keyring",
                "Nothing was written in its place; restore the keyring"
            )
        case .groupElsewhere:
            (
                "The keyring has a group of this name that belongs to another folder",
                "Use that folder, or another name; to give the group to this folder, run cachetool repair --adopt"
            )
        case .rollbackSuspected:
            (
                "The file is older than the newest state that was recorded",
                "Restore the newer file, or accept this one with cachetool repair --accept-rollback"
            )
        case .tokenGone: ("The token was removed between lookup and use", "Look it up again")
        case .severalAccounts:
            ("More than one account matches", "List the accounts, and let the user choose one")
        case .renewalBusy: ("Another process or thread is still renewing the token", "Try again")
        case .renewalFailed: ("The token could not be renewed", "Nothing was changed; see the underlying error")
        case .renewalUnavailable:
            ("The token endpoint cannot renew the token now", "The refresh token was kept; try again later")
        case .signedOut:
            ("The account was signed out while the token was being renewed", "Nothing was saved; sign in interactively")
        }
    }
}
