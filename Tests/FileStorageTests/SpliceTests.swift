// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import Sealing
import Testing

@Suite("Frames moved about")
struct SpliceTests {
    @Test("a dropped, doubled or swapped frame is damage, with and without the shared page", arguments: [true, false])
    func everyPair(hasPage: Bool) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        for version in 0..<5 as Range<UInt64> { try store.write([Boxes.record(1, in: 1, version: version)]) }
        store.close()
        let original = JournalBytes(try group.bytes())
        let frames = original.frames.map { Array(original.bytes[$0]) }
        #expect(frames.count == 5)
        if !hasPage { try group.forgetPage() }
        for first in frames.indices {
            var dropped = frames
            dropped.remove(at: first)
            // Without the page nobody can tell that the last one was there.
            let prefix: StorageError.Code? = hasPage ? .rollbackSuspected : nil
            try expect(
                first == frames.count - 1 ? prefix : .damaged,
                group,
                original.withFrames(dropped),
                "dropped \(first)"
            )
            for second in frames.indices {
                var doubled = frames
                doubled.insert(frames[first], at: second)
                try expect(.damaged, group, original.withFrames(doubled), "doubled \(first) at \(second)")
                guard second > first else { continue }
                var swapped = frames
                swapped.swapAt(first, second)
                try expect(.damaged, group, original.withFrames(swapped), "swapped \(first) and \(second)")
            }
            try expect(.damaged, group, original.withFrames(frames + [frames[first]]), "doubled \(first) at the end")
        }
        try expect(nil, group, original.bytes, "as it was")
    }

    @Test("a frame of another journal of the same group does not count")
    func otherJournal() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let before = JournalBytes(try group.bytes())
        try store.write([Boxes.record(1, in: 1, version: 1)])
        let second = Array(try group.bytes()[before.bytes.count...])
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        store.close()
        let compacted = try group.bytes()
        try group.forgetPage()
        try group.overwrite(compacted + second)
        let again = try group.open()
        #expect(try again.secret(1, in: 1) == Boxes.record(1, in: 1, version: 1).secret)
        let end = try #require(second.lastIndex { $0 != 0 }) + 1
        #expect(try again.statistics.tornByteCount == UInt64(end))
    }

    @Test("the journal of another group is foreign, or its key is rejected, and stays as it is")
    func otherGroup() throws {
        let group = try ScratchGroup()
        let other = try ScratchGroup()
        try group.create().close()
        let store = try other.create()
        try store.write([Boxes.record(1, in: 1)])
        store.close()
        let bytes = try other.bytes()
        try group.overwrite(bytes)
        #expect(code { try group.open() } == .keyRejected)
        group.ring.add(other.keys)
        let directory = try group.directory()
        let state = StoreState(storage: .file, reason: "test", group: group.keys.uuid.description, phase: .ready)
        let lock = try directory.lock(.writer, until: .standard)
        try directory.writeState(state, under: lock)
        lock.release()
        #expect(code { try group.open() } == .foreign)
        #expect(try group.bytes() == bytes)
    }

    private func expect(
        _ expected: StorageError.Code?,
        _ group: ScratchGroup,
        _ bytes: [UInt8],
        _ comment: Comment
    ) throws {
        try group.overwrite(bytes)
        #expect(code { try group.open(.readOnly) } == expected, comment)
    }
}
