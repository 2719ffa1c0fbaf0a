// SPDX-License-Identifier: Apache-2.0

/// What a merge of an edited document did. Contains only counts, never content.
public struct MergeReport: Hashable, Sendable {
    /// The number of entries that were written.
    public package(set) var writtenCount = 0
    /// The number of entries that were removed because the edited document no longer has them. Those of accounts that
    /// were signed out do not count.
    public package(set) var removedCount = 0
    /// The number of accounts that the client was signed out of.
    public package(set) var signedOutCount = 0
    /// The number of edited entries that were left out because the client was signed out, or the account removed, since
    /// the document was read.
    public package(set) var refusedCount = 0
    /// The number of edits that were left out because what the group has by now is newer.
    public package(set) var keptCount = 0
    /// The number of edited entries that were left out because they are another client's, or not of the account that
    /// the document was asked for.
    public package(set) var ignoredCount = 0

    /// Whether anything was written.
    public var hasChanges: Bool { writtenCount + removedCount + signedOutCount > 0 }

    package init() {}
}

/// How to merge an edited document.
public struct MergeOptions: Hashable, Sendable {
    /// Whether an edited document of zero bytes, white space or `{}` means that every entry was removed. Otherwise it is
    /// refused, because it is usually the result of an error; a document whose sections are empty never is.
    public var allowsEmpty: Bool
    /// How long the merge waits for other processes; `nil` for the timeout of the group.
    public var timeout: Duration?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - allowsEmpty: whether an empty document removes every entry.
    ///   - timeout: how long the merge waits for other processes; `nil` for the timeout of the group.
    public init(allowsEmpty: Bool = false, timeout: Duration? = nil) {
        self.allowsEmpty = allowsEmpty
        self.timeout = timeout
    }
}
