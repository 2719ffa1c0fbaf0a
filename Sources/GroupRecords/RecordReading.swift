// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// The content of a record, or why it cannot be read.
package enum RecordReading<Content> {
    case content(Content)
    case unreadable(RecordFault)

    /// The content; nil if it cannot be read.
    @inlinable package var content: Content? {
        switch self {
        case .content(let content): content
        case .unreadable: nil
        }
    }
}

extension RecordReading: Sendable where Content: Sendable {}

/// Why a record cannot be read although its store and the group's keys are usable.
///
/// The record still counts as present: code that looks for a sign-out must assume that this record could be one.
package enum RecordFault: Hashable, Sendable, CaseIterable {
    /// The store has no bytes for its facts: they are damaged, or were erased in the meantime.
    case missing
    /// Its facts do not verify, belong to another record, or do not have the form that this version writes.
    case damaged
    /// A newer version of this library wrote it. It is valid and must not be overwritten.
    case newerVersion

    /// The fault to which an error corresponds; nil if the error does not concern only this record.
    @inlinable package init?(_ error: StorageError) {
        switch error.code {
        case .damaged: self = .damaged
        case .unsupportedVersion: self = .newerVersion
        default: return nil
        }
    }
}
