// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let removal = [
        ConformanceCase("a removed record is gone, for good") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1), Sample(record: 2)])
            try store.commit(remove: [Sample(record: 1).removal(erasing: false)])
            for handle in [store, try group.open()] { try handle.checkContents(0, [Sample(record: 2)]) }
            try group.reorganize(store)
            try group.open().checkContents(0, [Sample(record: 2)])
        },
        ConformanceCase("a partition without records is no partition") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1, partition: 1), Sample(record: 2, partition: 2)])
            try store.commit(remove: [Sample(record: 1, partition: 1).removal(erasing: true)])
            for handle in [store, try group.open()] {
                try checkEqual(try handle.partitions().map(\.tag), [Sample.partitionTag(2)], "partitions left")
            }
        },
        ConformanceCase("removing what is not there is no error") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1)])
            try store.commit(remove: [
                Sample(record: 9).removal(erasing: true), Sample(record: 9).removal(erasing: false),
                Sample(record: 1, partition: 9).removal(erasing: true),
            ])
            try store.checkContents(0, [Sample(record: 1)])
        },
        ConformanceCase("an erased secret is not read any more") { group in
            let store = try group.open()
            let sample = Sample(record: 1)
            try store.commit(put: [sample, Sample(record: 2)])
            let reader = try group.open()
            let contents = try reader.contents(of: sample.partitionTag)
            try store.commit(remove: [sample.removal(erasing: true)])
            guard let index = contents.records.firstIndex(where: { $0.tag == sample.tag }) else {
                throw ConformanceFailure("the record was not there", #fileID, #line)
            }
            try checkFails(.tokenGone, "reading an erased secret") {
                try contents.box(at: contents.records[index].secret)
            }
            try check(contents.facts[index] == sample.facts, "facts that were read before went with the secret")
            let other = contents.records[1 - index]
            try check(try contents.box(at: other.secret) == Sample(record: 2).secret, "another secret went too")
        },
        ConformanceCase("an erased secret is not read by the handle that erased it") { group in
            let store = try group.open()
            let sample = Sample(record: 1)
            try store.commit(put: [sample])
            let contents = try store.contents(of: sample.partitionTag)
            try store.commit(remove: [sample.removal(erasing: true)])
            try checkFails(.tokenGone, "reading an erased secret") {
                try contents.box(at: contents.records[0].secret)
            }
        },
        ConformanceCase("the secret of a record that was only replaced can still be read") { group in
            let store = try group.open()
            let old = Sample(record: 1)
            try store.commit(put: [old])
            let contents = try store.contents(of: old.partitionTag)
            try store.commit(put: [Sample(record: 1, version: 1)])
            try check(try contents.box(at: contents.records[0].secret) == old.secret, "the old secret changed")
        },
        ConformanceCase("an erased record can be written anew") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1)])
            try store.commit(remove: [Sample(record: 1).removal(erasing: true)])
            try store.commit(put: [Sample(record: 1, version: 1)])
            for handle in [store, try group.open()] { try handle.checkContents(0, [Sample(record: 1, version: 1)]) }
        },
        ConformanceCase("removing everything leaves only what the same transaction puts") { group in
            let store = try group.open()
            let reader = try group.open()
            let tag = Sample.searchTag(1)
            try store.commit(put: (0..<50).map { Sample(record: $0, partition: $0 % 6, searchTags: [tag]) })
            try reader.refresh()
            let contents = try reader.contents(of: Sample.partitionTag(1))
            let before = Sample(record: 100, partition: 1, version: 1)
            let after = Sample(record: 1, partition: 1, version: 2)
            try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                try batch.put(before.new)
                try batch.put(Sample(record: 101, partition: 2).new)
                try batch.removeAll()
                try batch.put(after.new)
                try batch.remove(Sample(record: 101, partition: 2).removal(erasing: false))
            }
            try reader.refresh()
            for handle in [store, reader, try group.open()] {
                try checkEqual(try handle.partitions().map(\.tag), [Sample.partitionTag(1)], "partitions left")
                try handle.checkContents(1, [before, after])
                try handle.checkContents(2, [])
            }
            try checkFails(.tokenGone, "reading a secret after everything was removed") {
                try contents.box(at: contents.records[0].secret)
            }
        },
        ConformanceCase("an empty group can be emptied, and used again") { group in
            let store = try group.open()
            try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in try batch.removeAll() }
            try check(try store.partitions().isEmpty, "an emptied group has partitions")
            try store.commit(put: [Sample(record: 1)])
            try group.open().checkContents(0, [Sample(record: 1)])
        },
        ConformanceCase("a transaction declared a removal does all that it says") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1), Sample(record: 2)])
            for scope in RemovalScope.allCases {
                try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                    batch.declareRemoval(of: scope)
                    try batch.put(Sample(record: 3, version: UInt64(scope.rawValue)).new)
                    try batch.remove(Sample(record: 2).removal(erasing: true))
                }
                let expected = [Sample(record: 1), Sample(record: 3, version: UInt64(scope.rawValue))]
                for handle in [store, try group.open()] { try handle.checkContents(0, expected) }
            }
        },
        ConformanceCase("declaring a removal alone writes nothing") { group in
            let store = try group.open()
            let before = try store.commit(put: [Sample(record: 1)])
            let word = store.revision.load()
            let after = try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                batch.declareRemoval(of: .group)
            }
            try checkEqual(after, before, "sequence of a transaction without operations")
            try checkEqual(store.revision.load(), word, "word after a transaction without operations")
            try store.checkContents(0, [Sample(record: 1)])
        },
    ]
}
