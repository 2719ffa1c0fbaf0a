// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory

/// Information about a group that is available without its key.
public struct GroupSummary: Hashable, Sendable {
    /// The kind of store that keeps the records.
    @nonexhaustive
    public enum Storage: String, Hashable, Sendable {
        /// The encrypted file.
        case file
        /// The user's keyring.
        case keyring
        /// Memory of this process.
        case memory
        /// A kind that this version does not know.
        case unknown
    }

    /// Whether the group can be opened, according to its folder.
    @nonexhaustive
    public enum State: String, Hashable, Sendable {
        /// It can be opened.
        case ready
        /// Its creation was begun and not completed. The next process that opens it for writing completes it.
        case creating
        /// Its records are being migrated to another kind of store, or the migration was interrupted: `cachetool
        /// migrate` continues it.
        case moving
        /// Some of its files are missing or invalid: see ``GroupSummary/problem``.
        case damaged
        /// Its folder or its files cannot be trusted or read: see ``GroupSummary/problem``.
        case unreadable
        /// The folder contains no group.
        case empty
    }

    /// The name of the group.
    public let name: String
    /// Its folder.
    public let path: String
    /// The kind of store.
    public let storage: Storage
    /// Whether it can be opened.
    public let state: State
    /// What is wrong, if anything.
    public let problem: TokenCacheError?

    package init(name: String, path: String, storage: Storage, state: State, problem: TokenCacheError? = nil) {
        self.name = name
        self.path = path
        self.storage = storage
        self.state = state
        self.problem = problem
    }
}

extension GroupSummary.Storage {
    package init(_ kind: StorageKind) {
        switch KnownStorage.allCases.first(where: { $0.backend.kind == kind }) {
        case .file: self = .file
        case .keyring: self = .keyring
        case nil: self = .unknown
        }
    }

    /// For people, in a sentence.
    package var phrase: String {
        switch self {
        case .file: "the encrypted file"
        case .keyring: "the keyring"
        case .memory: "memory"
        case .unknown: "a kind of store that this version does not know"
        }
    }
}
