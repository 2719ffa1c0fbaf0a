// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage

extension FileStore {
    /// The free space in bytes, two preallocation steps, that is enough to save any token response.
    package static var saveByteCount: UInt64 { 2 * JournalFormat.preallocatedByteCount }
}

extension FileStore: SlottedStore, FileBackedStore {
    package var readsWithoutWaiting: Bool { true }

    package var fileBacked: (any FileBackedStore)? { self }

    package var path: String { directory.path(of: JournalFormat.fileName) }

    package func examine(
        until deadline: Deadline,
        progress: @escaping (UInt64, UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination {
        let report = try verify(until: deadline, progress: progress)
        let findings = report.findings.map { finding in
            StoreExamination.Finding(
                finding.description,
                record: finding.record,
                partition: finding.partition,
                isDamage: finding.isDamage
            )
        }
        return StoreExamination(findings: findings, byteCount: report.byteCount)
    }

    package func withoutWriters(
        until deadline: Deadline,
        _ body: (any RecordStore) throws(StorageError) -> Void
    ) throws(StorageError) {
        try keyChain.following(directory, until: deadline) { () throws(StorageError) -> Void? in
            try directory.withLock(.writer, .shared, until: deadline) { () throws(StorageError) -> Void? in
                try directory.confirmReading(.file)
                guard let (state, rest) = try JournalState.open(in: directory, keyChain: keyChain) else { return nil }
                if case .unusable(let error) = rest { throw error }
                let store = FileStore(directory: directory, keyChain: keyChain, state: state)
                defer { store.close() }
                return try body(store)
            }
        }
    }

    /// Only refreshes the store: replacing keys is atomic in a journal, so no change can be left unfinished.
    package func settle(within time: WaitingTime) throws(StorageError) { _ = try refresh(until: time.deadline) }

    package func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        try forEachRecord(body)
    }
}
