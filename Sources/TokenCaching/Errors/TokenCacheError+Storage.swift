package import RecordStorage

extension TokenCacheError {
    /// What a store or its folder said, in the terms of the public interface.
    package init(_ error: StorageError) {
        self.init(Code(error.code), detail: error.detail, path: error.path, errno: error.errno)
    }
}

extension TokenCacheError.Code {
    fileprivate init(_ code: StorageError.Code) {
        self =
            switch code {
            case .busy: .busy
            case .timeout: .timeout
            case .notFound: .notFound
            case .exists: .exists
            case .invalidName: .invalidName
            case .homeMissing: .homeMissing
            case .unsafePermissions: .unsafePermissions
            case .unsafeFile: .unsafeFile
            case .networkFileSystem: .networkFileSystem
            case .readOnly: .readOnly
            case .full: .full
            case .indeterminate: .indeterminate
            case .damaged: .damaged
            case .foreign: .foreign
            case .unsupportedVersion: .unsupportedVersion
            case .keyRejected: .keyRejected
            case .keyMissing: .keyMissing
            case .keyFileInvalid: .keyFileInvalid
            case .unsupportedKDF: .unsupportedKDF
            case .tokenGone: .tokenGone
            case .forkedProcess: .forkedProcess
            case .tooLarge: .tooLarge
            case .storageMismatch: .storageMismatch
            case .storageMoved: .storageMoved
            case .keyringMissing: .keyringMissing
            case .keyringLocked: .keyringLocked
            case .promptDismissed: .promptDismissed
            case .promptPending: .promptPending
            case .keyringRefused: .keyringRefused
            case .keyringItemMissing: .keyringItemMissing
            case .groupElsewhere: .groupElsewhere
            case .rollbackSuspected: .rollbackSuspected
            // A transaction is given up only by our own code, which reports its own reason instead.
            case .abandoned: .invalidRequest
            case .closed: .closed
            case .system: .system
            }
    }
}

/// Runs `body` and says what a store threw in the terms of the public interface.
@inline(__always)
package func storing<Result: ~Copyable>(_ body: () throws(StorageError) -> Result) throws(TokenCacheError) -> Result {
    do throws(StorageError) {
        return try body()
    } catch {
        throw TokenCacheError(error)
    }
}
