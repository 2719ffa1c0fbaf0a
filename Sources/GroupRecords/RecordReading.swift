package import RecordStorage

/// What a record holds, or why nobody can tell.
package enum RecordReading<Content> {
    case content(Content)
    case unreadable(RecordFault)

    /// What it holds; nil where that cannot be read.
    @inlinable package var content: Content? {
        switch self {
        case .content(let content): content
        case .unreadable: nil
        }
    }
}

extension RecordReading: Sendable where Content: Sendable {}

/// Why a record cannot be read although its store and the keys of the group can be used.
///
/// The record counts as being there: whoever looks for one that says "signed out" must reckon with it.
package enum RecordFault: Hashable, Sendable, CaseIterable {
    /// The store has no bytes where its facts were: they are damaged, or were erased meanwhile.
    case missing
    /// Its facts do not verify, are another record's, or are not in the form that this version writes.
    case damaged
    /// A newer version of this library wrote it. It is as it should be, and must not be written over.
    case newerVersion

    /// The fault that an error stands for; nil where the error is not about this one record.
    @inlinable package init?(_ error: StorageError) {
        switch error.code {
        case .damaged: self = .damaged
        case .unsupportedVersion: self = .newerVersion
        default: return nil
        }
    }
}
