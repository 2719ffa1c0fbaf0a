// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

#if DEBUG
@Suite("Boxes that were handed out before")
struct HandedOutBoxTests {
    @Test("cannot be opened by earlier readers once their record is removed", arguments: [true, false])
    func removed(bySelf: Bool) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        let contents = try store.contents(of: Boxes.partition(1))
        let gone = try #require(contents.records.first { $0.tag == Boxes.tag(1) })
        try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in }
        let remover = bySelf ? store : try group.open()
        try remover.write(removing: [Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)])
        #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .tokenGone)
    }

    @Test("cannot be opened after they were overwritten, however late that was")
    func overwrittenLater() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let reader = try group.open()
        let contents = try reader.contents(of: Boxes.partition(1))
        let gone = try #require(contents.records.first)
        // The frame is written, the zeros are not.
        SyscallFaults.with([.init(.pwrite, .ioError, after: 2, times: 100)]) {
            let removal = Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
            #expect(throws: Never.self) { try store.write(removing: [removal]) }
        }
        try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in }
        // Opening overwrites what is left.
        _ = try group.open()
        #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .tokenGone)
    }
}
#endif
