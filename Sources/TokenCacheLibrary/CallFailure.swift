// SPDX-License-Identifier: Apache-2.0

internal import CTokenCache
internal import RecordStorage
internal import TokenCaching

/// Why a function of the interface fails: what its result and its `tokencache_error` say.
struct CallFailure: Error {
    let code: Int32
    private let message: String
    private let systemError: Int32
    private let byteOffset: Int64

    init(_ code: Int, _ message: String) {
        self.code = Int32(truncatingIfNeeded: code)
        self.message = message
        systemError = 0
        byteOffset = -1
    }

    init(_ error: TokenCacheError) {
        code = error.reason.code.number
        message = error.description
        systemError = error.systemErrorNumber ?? 0
        byteOffset = error.byteOffset.map { Int64($0) } ?? -1
    }

    static func invalidRequest(_ detail: String) -> CallFailure {
        CallFailure(TokenCacheError(StorageError(.invalidRequest, detail: detail)))
    }

    static var invalidHandle: CallFailure {
        CallFailure(TOKENCACHE_INVALID_HANDLE, "The handle was closed, or is none of this type. Open it again.")
    }

    static var forkedProcess: CallFailure { CallFailure(TokenCacheError(.forkedProcess)) }

    static var tooManyHandles: CallFailure {
        CallFailure(TOKENCACHE_TOO_MANY_HANDLES, "There are too many open handles. Close those that are not used.")
    }

    static var bufferTooSmall: CallFailure {
        CallFailure(TOKENCACHE_BUFFER_TOO_SMALL, "The buffer is too small. Pass one of the size that was returned.")
    }

    static var accountMismatch: CallFailure {
        CallFailure(TOKENCACHE_ACCOUNT_MISMATCH, "The response belongs to another account. Nothing was saved.")
    }

    /// Fills in as much as the caller has room for.
    func write(to error: UnsafeMutablePointer<tokencache_error>?) {
        guard let error = unsafe error else { return }
        let room = unsafe Int(error.pointee.struct_size)
        guard let start = MemoryLayout<tokencache_error>.offset(of: \.message), room > start else { return }
        // SAFETY: the caller has memory for `struct_size` bytes, and everything before the text is in it.
        unsafe error.pointee.code = code
        unsafe error.pointee.system_error = systemError
        unsafe error.pointee.reserved = 0
        unsafe error.pointee.byte_offset = byteOffset
        let capacity = min(room, MemoryLayout<tokencache_error>.size) - start
        let text = unsafe UnsafeMutableRawPointer(error).advanced(by: start)
        var count = 0
        for scalar in message.unicodeScalars where scalar != "\0" {
            let bytes = UTF8.encode(scalar).map { Array($0) } ?? []
            guard count + bytes.count < capacity else { break }
            for byte in bytes {
                unsafe text.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
                count += 1
            }
        }
        unsafe text.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
    }
}

/// Runs the body of a function of the interface, and converts what it throws to the function's result.
@inline(__always)
func reporting(
    to error: UnsafeMutablePointer<tokencache_error>?,
    _ body: () throws(CallFailure) -> Void
) -> Int32 {
    do throws(CallFailure) {
        try body()
        return 0
    } catch let failure {
        unsafe failure.write(to: error)
        return failure.code
    }
}

/// Makes a call of the library.
@inline(__always)
func calling<Result: ~Copyable>(
    _ call: @autoclosure () throws(TokenCacheError) -> Result
) throws(CallFailure) -> Result {
    do throws(TokenCacheError) {
        return try call()
    } catch {
        throw CallFailure(error)
    }
}

extension StorageError.Code {
    /// The number in the header. It never changes.
    package var number: Int32 {
        let number =
            switch self {
            case .invalidRequest: TOKENCACHE_INVALID_REQUEST
            case .invalidResponse: TOKENCACHE_INVALID_RESPONSE
            case .malformedDocument: TOKENCACHE_MALFORMED_DOCUMENT
            case .tooLarge: TOKENCACHE_TOO_LARGE
            case .invalidName: TOKENCACHE_INVALID_NAME
            case .homeMissing: TOKENCACHE_HOME_MISSING
            case .notFound: TOKENCACHE_NOT_FOUND
            case .exists: TOKENCACHE_EXISTS
            case .storageMismatch: TOKENCACHE_STORAGE_MISMATCH
            case .storageMoved: TOKENCACHE_STORAGE_MOVED
            case .closed: TOKENCACHE_CLOSED
            case .busy: TOKENCACHE_BUSY
            case .timeout: TOKENCACHE_TIMEOUT
            case .full: TOKENCACHE_FULL
            case .indeterminate: TOKENCACHE_INDETERMINATE
            case .outOfMemory: TOKENCACHE_OUT_OF_MEMORY
            case .cancelled: TOKENCACHE_CANCELLED
            case .system: TOKENCACHE_SYSTEM
            case .unsafePermissions: TOKENCACHE_UNSAFE_PERMISSIONS
            case .unsafeFile: TOKENCACHE_UNSAFE_FILE
            case .networkFileSystem: TOKENCACHE_NETWORK_FILE_SYSTEM
            case .readOnly: TOKENCACHE_READ_ONLY
            case .damaged: TOKENCACHE_DAMAGED
            case .foreign: TOKENCACHE_FOREIGN
            case .unsupportedVersion: TOKENCACHE_UNSUPPORTED_VERSION
            case .keyRejected: TOKENCACHE_KEY_REJECTED
            case .keyMissing: TOKENCACHE_KEY_MISSING
            case .keyFileInvalid: TOKENCACHE_KEY_FILE_INVALID
            case .unsupportedKDF: TOKENCACHE_UNSUPPORTED_KDF
            case .passphraseSlotExists: TOKENCACHE_PASSPHRASE_SLOT_EXISTS
            case .lastSlot: TOKENCACHE_LAST_SLOT
            case .tooManySlots: TOKENCACHE_TOO_MANY_SLOTS
            case .slotNotFound: TOKENCACHE_SLOT_NOT_FOUND
            case .forkedProcess: TOKENCACHE_FORKED_PROCESS
            case .keyringMissing: TOKENCACHE_KEYRING_MISSING
            case .keyringLocked: TOKENCACHE_KEYRING_LOCKED
            case .promptDismissed: TOKENCACHE_PROMPT_DISMISSED
            case .promptPending: TOKENCACHE_PROMPT_PENDING
            case .keyringRefused: TOKENCACHE_KEYRING_REFUSED
            case .keyringItemMissing: TOKENCACHE_KEYRING_ITEM_MISSING
            case .groupElsewhere: TOKENCACHE_GROUP_ELSEWHERE
            case .rollbackSuspected: TOKENCACHE_ROLLBACK_SUSPECTED
            case .tokenGone: TOKENCACHE_TOKEN_GONE
            case .signedOut: TOKENCACHE_SIGNED_OUT
            case .renewalBusy: TOKENCACHE_RENEWAL_BUSY
            case .renewalFailed: TOKENCACHE_RENEWAL_FAILED
            case .renewalUnavailable: TOKENCACHE_RENEWAL_UNAVAILABLE
            case .severalAccounts: TOKENCACHE_SEVERAL_ACCOUNTS
            }
        return Int32(truncatingIfNeeded: number)
    }
}
