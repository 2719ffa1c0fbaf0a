// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Information about a group that is available without its key.
public struct GroupSummary: Hashable, Sendable {
    /// Whether the group can be opened, according to its folder.
    @nonexhaustive
    public enum State: String, Hashable, Sendable {
        /// It can be opened.
        case ready
        /// Its creation was not completed. The next process that opens it for writing completes it.
        case creating
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
    public let storage: StorageLocation.Kind
    /// Whether it can be opened.
    public let state: State
    /// What is wrong, if anything.
    public let problem: TokenCacheError?

    init(name: String, path: String, storage: StorageLocation.Kind, state: State, problem: TokenCacheError? = nil) {
        self.name = name
        self.path = path
        self.storage = storage
        self.state = state
        self.problem = problem
    }
}
