// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension RecordStore {
    /// Commits these operations, in this order.
    @discardableResult
    func commit(
        put samples: [Sample] = [],
        remove removals: [Removal] = [],
        until deadline: Deadline = .after(.seconds(30))
    ) throws(StorageError) -> UInt64 {
        try commit(until: deadline) { _, batch throws(StorageError) in
            for sample in samples { try batch.put(sample.new) }
            for removal in removals { try batch.remove(removal) }
        }
    }

    /// Refreshes with a deadline that only a broken store meets.
    @discardableResult
    func refresh() throws(StorageError) -> StoreChanges {
        try refresh(until: .after(.seconds(30)))
    }

    /// The sequence of the newest transaction.
    func newestSequence() throws(StorageError) -> UInt64 {
        try commit(until: .after(.seconds(30))) { _, _ throws(StorageError) in }
    }

    /// Fails the case unless the partition holds these records and no others, whole and in order.
    func checkContents(
        _ partition: UInt64,
        _ samples: [Sample],
        _ file: StaticString = #fileID,
        _ line: UInt = #line
    ) throws {
        let contents = try contents(of: Sample.partitionTag(partition))
        try contents.check(samples, file, line)
    }
}

extension PartitionContents {
    /// Fails the case unless these are the records, whole and in order of tag.
    func check(_ samples: [Sample], _ file: StaticString = #fileID, _ line: UInt = #line) throws {
        let sorted = samples.sorted { $0.tag < $1.tag }
        try checkEqual(records.map(\.tag), sorted.map(\.tag), "tags in the partition", file, line)
        try checkEqual(records.map(\.kind), sorted.map(\.kind), "kinds in the partition", file, line)
        try checkEqual(facts.count, records.count, "number of facts boxes", file, line)
        for (index, sample) in sorted.enumerated() {
            let record = records[index]
            try StoreConformance.check(facts[index] == sample.facts, "wrong facts of \(sample.record)", file, line)
            try StoreConformance.check(
                try box(at: record.facts) == sample.facts,
                "wrong facts at their place, of \(sample.record)",
                file,
                line
            )
            if sample.secretLength == 0 {
                try checkEqual(record.secret.length, 0, "length of a secret that is not there", file, line)
            } else {
                let secret = try box(at: record.secret)
                try StoreConformance.check(secret == sample.secret, "wrong secret of \(sample.record)", file, line)
            }
        }
    }

    /// The bytes of a box.
    func box(at location: BoxLocation) throws(StorageError) -> [UInt8] {
        try reader.withBox(at: location) { span throws(StorageError) in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(span.byteCount)
            // SAFETY: any bytes are bytes.
            for index in 0..<span.byteCount {
                unsafe bytes.append(span.unsafeLoad(fromByteOffset: index, as: UInt8.self))
            }
            return bytes
        }
    }
}
