// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let searching = [
        ConformanceCase("partitions are found under every name of their records") { group in
            let store = try group.open()
            let names = (0..<4).map { Sample.searchTag($0) }
            try store.commit(put: [
                Sample(record: 1, partition: 1, searchTags: [names[0], names[1]]),
                Sample(record: 2, partition: 1, searchTags: [names[2]]),
                Sample(record: 3, partition: 2, searchTags: [names[1]]),
            ])
            try group.open().checkFound(names[0], [1])
            for handle in [store, try group.open()] {
                try handle.checkFound(names[0], [1])
                try handle.checkFound(names[1], [1, 2])
                try handle.checkFound(names[2], [1])
                try check(try handle.partitions(under: names[3]).isEmpty, "found under a name that nobody gave")
            }
        },
        ConformanceCase("names given by another handle are found after a refresh") { group in
            let store = try group.open()
            let reader = try group.open()
            try store.commit(put: [Sample(record: 1, partition: 1, searchTags: [Sample.searchTag(1)])])
            try reader.refresh()
            try reader.checkFound(Sample.searchTag(1), [1])
        },
        ConformanceCase("names survive replacing, tidying up and opening again") { group in
            let store = try group.open()
            let samples = (0..<60).map { Sample(record: $0, partition: $0, searchTags: [Sample.searchTag($0 % 20)]) }
            try store.commit(put: samples)
            try store.commit(put: [Sample(record: 5, partition: 5, version: 1, searchTags: [Sample.searchTag(99)])])
            try group.reorganize(store)
            try store.commit(put: [Sample(record: 6, partition: 6, version: 1, searchTags: [Sample.searchTag(6)])])
            for handle in [store, try group.open()] {
                try handle.checkFound(Sample.searchTag(99), [5])
                try handle.checkFound(Sample.searchTag(6), [6, 26, 46])
                try handle.checkFound(Sample.searchTag(5), [25, 45])
            }
        },
        ConformanceCase("a name leads to its partition as long as one record bears it") { group in
            let store = try group.open()
            let name = Sample.searchTag(1)
            try store.commit(put: [Sample(record: 1, searchTags: [name]), Sample(record: 2, searchTags: [name])])
            try store.commit(remove: [Sample(record: 1).removal(erasing: true)])
            for handle in [store, try group.open()] { try handle.checkFound(name, [0]) }
        },
    ]
}

extension RecordStore {
    /// Fails the case unless these partitions are found. One too many is allowed.
    fileprivate func checkFound(
        _ tag: SearchTag,
        _ partitions: Set<UInt64>,
        _ file: StaticString = #fileID,
        _ line: UInt = #line
    ) throws {
        let found = try self.partitions(under: tag)
        try checkEqual(Set(found).count, found.count, "number of different partitions found", file, line)
        let missing = Set(partitions.map(Sample.partitionTag)).subtracting(found)
        try check(missing.isEmpty, "\(missing.count) partitions are not found under their name", file, line)
        try check(found.count <= partitions.count + 1, "\(found.count) partitions are found under a name", file, line)
    }
}
