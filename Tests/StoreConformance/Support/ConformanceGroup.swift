// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// One group of the store under test, made anew for each case. A store's tests provide it.
package protocol ConformanceGroup: Sendable {
    /// Opens one more handle on the group, as another process would. The first call finds an empty group.
    func open() throws -> any RecordStore

    /// Opens a handle that may only read; `nil` where the store knows no such thing.
    func openReadOnly() throws -> (any RecordStore)?

    /// Has the store tidy up behind its readers (for the file: compact). Nothing to do for most.
    func reorganize(_ store: any RecordStore) throws

    /// How many transactions the longest case commits one by one.
    var smallCommitCount: Int { get }
}

extension ConformanceGroup {
    package func openReadOnly() throws -> (any RecordStore)? { nil }

    package func reorganize(_ store: any RecordStore) throws {}

    package var smallCommitCount: Int { 10_000 }
}
