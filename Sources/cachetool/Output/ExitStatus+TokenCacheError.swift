import TokenCaching

extension ExitStatus {
    /// The status for what the library said.
    init(_ code: TokenCacheError.Code) {
        self = Self.table[code] ?? .failure
    }

    private static let table: [TokenCacheError.Code: ExitStatus] = [
        .invalidRequest: .usage, .invalidName: .usage, .homeMissing: .usage,
        .notFound: .notFound, .tokenGone: .notFound, .slotNotFound: .notFound,
        .keyRejected: .locked, .keyMissing: .locked, .unsupportedKDF: .locked,
        .storageMismatch: .noBackend, .storageMoved: .noBackend, .networkFileSystem: .noBackend,
        .keyringLocked: .locked, .promptDismissed: .locked, .promptPending: .locked,
        .keyringMissing: .noBackend, .keyringItemMissing: .corrupt, .groupElsewhere: .noBackend,
        .rollbackSuspected: .corrupt,
        .busy: .timeout, .timeout: .timeout,
        .damaged: .corrupt, .foreign: .corrupt, .unsupportedVersion: .corrupt, .malformedDocument: .corrupt,
        .unsafePermissions: .permission, .unsafeFile: .permission, .readOnly: .permission,
        .keyFileInvalid: .permission,
    ]
}
