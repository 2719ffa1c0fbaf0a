// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let handles = [
        ConformanceCase("a closed store says so, whatever it is asked") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1)])
            store.close()
            try checkFails(.closed, "refresh") { try store.refresh() }
            try checkFails(.closed, "contents") { try store.contents(of: Sample.partitionTag(0)) }
            try checkFails(.closed, "partitions") { try store.partitions() }
            try checkFails(.closed, "search") { try store.partitions(under: Sample.searchTag(0)) }
            try checkFails(.closed, "commit") { try store.commit(put: [Sample(record: 2)]) }
            store.close()
            _ = store.revision.load()
            try group.open().checkContents(0, [Sample(record: 1)])
        },
        ConformanceCase("closing one handle leaves the others alone") { group in
            let first = try group.open()
            let second = try group.open()
            try first.commit(put: [Sample(record: 1)])
            first.close()
            try second.refresh()
            try second.checkContents(0, [Sample(record: 1)])
            try second.commit(put: [Sample(record: 2)])
            try group.open().checkContents(0, [Sample(record: 1), Sample(record: 2)])
        },
        ConformanceCase("a closed store gives way while another thread uses it") { group in
            let store = try group.open()
            let samples = (0..<20).map { Sample(record: $0) }
            try store.commit(put: samples)
            try inThreads(3) { thread in
                if thread == 0 {
                    store.close()
                    return
                }
                do {
                    for _ in 0..<50 {
                        try store.refresh()
                        try store.checkContents(0, samples)
                    }
                } catch let error as StorageError {
                    try checkEqual(error.code, .closed, "using a store that is being closed")
                }
            }
        },
        ConformanceCase("a handle that may only read reads, follows and refuses to write") { group in
            let writer = try group.open()
            try writer.commit(put: [Sample(record: 1)])
            guard let reader = try group.openReadOnly() else { return }
            try checkEqual(reader.readOnlyReason?.code, .readOnly, "reason of a handle that may only read")
            try reader.checkContents(0, [Sample(record: 1)])
            try writer.commit(put: [Sample(record: 2, partition: 2)])
            try checkNames(try reader.refresh(), [Sample.partitionTag(2)])
            try reader.checkContents(2, [Sample(record: 2, partition: 2)])
            try checkFails(.readOnly, "a commit of a handle that may only read") {
                try reader.commit(put: [Sample(record: 3)])
            }
            try group.open().checkContents(0, [Sample(record: 1)])
        },
        ConformanceCase("twenty handles keep up with each other") { group in
            let handles = try (0..<20).map { _ in try group.open() }
            for (index, handle) in handles.enumerated() {
                try handle.commit(put: [Sample(record: UInt64(index))])
            }
            let all = (0..<20).map { Sample(record: $0) }
            for handle in handles {
                try handle.refresh()
                try handle.checkContents(0, all)
            }
        },
    ]
}
