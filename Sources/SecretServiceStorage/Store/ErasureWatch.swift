// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Synchronization

/// Tracks which secrets were erased, including erasures by other processes since the last refresh. It reads the list of
/// items whenever the shared word has changed.
final class ErasureWatch: Sendable {
    private let directory: GroupDirectory
    private let read: @Sendable () -> ErasureList?
    private let known: Mutex<(word: UInt64, erasures: ErasureList)>

    /// `read` returns the erasures in the current list, or `nil` if it cannot read the list now.
    init(_ directory: GroupDirectory, _ read: @escaping @Sendable () -> ErasureList?) {
        self.directory = directory
        self.read = read
        known = Mutex((directory.revision.word.load(), ErasureList()))
    }

    /// Adopts a list that was read after `word` was loaded.
    func note(_ erasures: ErasureList, word: UInt64) {
        known.withLock { $0 = (word, erasures) }
    }

    /// Whether the secret of a record was, or may have been, erased since it was last known to exist.
    func mayHaveErased(_ record: StoredRecord, in partition: PartitionTag, since moment: Moment) -> Bool {
        let word = directory.revision.word.load()
        // An unchanged word means that no transaction was announced since.
        if word == moment.word { return false }
        return known.withLock { known in
            if known.word != word {
                // Without a list, assume an erasure, so that the record is looked up again.
                guard let erasures = read() else { return true }
                known = (word, erasures)
            }
            return known.erasures.mayHaveErased(record, in: partition, readAt: moment.sequence)
        }
    }

    /// A point in the history of a group.
    struct Moment: Sendable {
        /// The newest transaction whose outcome was known at that point.
        var sequence: UInt64
        /// The shared word, loaded before the read.
        var word: UInt64
    }
}
