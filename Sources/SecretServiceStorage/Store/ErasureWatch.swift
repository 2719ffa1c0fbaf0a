internal import GroupDirectory
internal import RecordStorage
internal import Synchronization

/// Knows what was removed for good, also by other processes since the last refresh: it looks at the list of items whenever
/// the shared word has changed.
final class ErasureWatch: Sendable {
    private let directory: GroupDirectory
    private let read: @Sendable () -> ErasureList?
    private let known: Mutex<(word: UInt64, erasures: ErasureList)>

    /// `read` reads the list; `nil` where that is not possible now.
    init(_ directory: GroupDirectory, _ read: @escaping @Sendable () -> ErasureList?) {
        self.directory = directory
        self.read = read
        known = Mutex((directory.revision.word.load(), ErasureList()))
    }

    /// Takes over what a list said that was read after `word` was loaded.
    func note(_ erasures: ErasureList, word: UInt64) {
        known.withLock { $0 = (word, erasures) }
    }

    func mayHold(_ record: StoredRecord, in partition: PartitionTag, readAt: UInt64) -> Bool {
        let word = directory.revision.word.load()
        return known.withLock { known in
            if known.word != word, let erasures = read() { known = (word, erasures) }
            return known.erasures.mayHold(record, in: partition, readAt: readAt)
        }
    }
}
