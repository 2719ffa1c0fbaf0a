// SPDX-License-Identifier: Apache-2.0

import RecordStorage

@testable import FileStorage

extension RecordStore {
    /// One transaction of these puts and removals.
    @discardableResult
    func write(_ records: [NewRecord] = [], removing removals: [Removal] = []) throws(StorageError) -> UInt64 {
        try commit(until: .standard) { _, batch throws(StorageError) in
            for record in records { try batch.put(record) }
            for removal in removals { try batch.remove(removal) }
        }
    }

    /// The sealed secret of a record; `nil` where there is no such record.
    func secret(_ number: UInt64, in partition: UInt64) throws(StorageError) -> [UInt8]? {
        let contents = try contents(of: Boxes.partition(partition))
        guard let record = contents.records.first(where: { $0.tag == Boxes.tag(number) }) else { return nil }
        return try contents.reader.withBox(at: record.secret) { box throws(StorageError) in
            (0..<box.byteCount).map { unsafe box.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
    }

    /// The sealed facts of a record; `nil` where there is no such record.
    func facts(_ number: UInt64, in partition: UInt64) throws(StorageError) -> [UInt8]? {
        let contents = try contents(of: Boxes.partition(partition))
        guard let index = contents.records.firstIndex(where: { $0.tag == Boxes.tag(number) }) else { return nil }
        return contents.facts[index]
    }
}

extension FileStore {
    func verify() throws(StorageError) -> JournalVerificationReport { try verify(until: .standard) }
}
