// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The exit statuses of cachetool. They are part of its interface, and the same in every release.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The command succeeded; for a lookup, the result is a hit or a renewal.
    case success = 0
    /// Any other failure.
    case failure = 1
    /// The command line is wrong, or a required confirmation could not be requested.
    case usage = 2
    /// There is no such group, account, entry or token; for a lookup, the user has to sign in.
    case notFound = 3
    /// The group exists, but no key opens it.
    case locked = 4
    /// The requested storage cannot be used here, or the group is kept in another kind.
    case noBackend = 5
    /// Another process held the group for longer than `--timeout`, or a server is away, responds too late, or must not be
    /// asked yet.
    case timeout = 6
    /// Stored bytes do not verify, or a document is invalid.
    case corrupt = 7
    /// Owner, mode or kind of a file is not safe, or there is no permission to write.
    case permission = 8
    /// The command did only a part of the work; standard error names the rest.
    case partial = 9

    /// The meaning, as help and the manual state it.
    public var meaning: String {
        switch self {
        case .success: "done; for lookup: a hit or a renewal"
        case .failure: "something else failed, such as a full disk"
        case .usage: "the command line is wrong, or a question could not be asked"
        case .notFound: "no such group, account, entry or file; for lookup and token: the user has to sign in"
        case .locked: "no key opens the group"
        case .noBackend: "the requested storage cannot be used"
        case .timeout: "busy or too slow, or a server is away: try again later"
        case .corrupt: "stored bytes or an input document are damaged"
        case .permission: "the owner, mode or type of a file is not safe, or writing is not permitted"
        case .partial: "partly done; standard error says what was not done"
        }
    }
}

extension ExitStatus {
    /// The status for an error of the library.
    public init(_ code: TokenCacheError.Code) {
        self = Self.table[code] ?? .failure
    }

    private static let table: [TokenCacheError.Code: ExitStatus] = [
        .invalidRequest: .usage, .invalidName: .usage, .homeMissing: .usage, .severalAccounts: .usage,
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
