// SPDX-License-Identifier: Apache-2.0

import RecordStorage

// One file of several targets: the others have a link to it, as it is internal to each.

/// Reads and waits of tests, which nothing hurries.
extension Deadline {
    /// Two seconds from now, as the library's own default is.
    static var standard: Deadline { .after(.seconds(2)) }
}

extension RecordStore {
    func contents(of partition: PartitionTag) throws(StorageError) -> PartitionContents {
        try contents(of: partition, until: .standard)
    }

    func partitions(under tag: SearchTag) throws(StorageError) -> [PartitionTag] {
        try partitions(under: tag, until: .standard)
    }

    func partitions() throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try partitions(until: .standard)
    }

    func partitionsToRead() throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try partitionsToRead(until: .standard)
    }
}
