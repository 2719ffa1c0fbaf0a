// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

@Suite("Transactions that are declared removals")
struct RemovalScopeTests {
    @Test("empty the quarantine where all of an account or of the group goes", arguments: RemovalScope.allCases)
    func quarantine(_ scope: RemovalScope) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try group.directory().quarantine([1, 2, 3].rawBytes, label: "test")
        try store.write([Boxes.record(1, in: 1)])
        #expect(try group.quarantined().count == 1)
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            batch.declareRemoval(of: scope)
            batch.declareRemoval(of: .signOut)
            try batch.put(Boxes.record(2, in: 1, secret: 0))
        }
        #expect(try group.quarantined().isEmpty == (scope != .signOut))
    }

    @Test("clear away the files of killed writers", arguments: RemovalScope.allCases)
    func staleTemporaries(_ scope: RemovalScope) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let leftover = group.path.appending("tmp.0123456789abcdef0123456789abcdef")
        let file = try FileDescriptor.open(leftover, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        try file.close()
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            batch.declareRemoval(of: scope)
            try batch.put(Boxes.record(2, in: 1, secret: 0))
        }
        #expect(try !group.files().contains(leftover.lastComponent?.string ?? ""))
    }

    #if DEBUG
    @Test("that only leave a mark go through on a full disk", arguments: RemovalScope.allCases)
    func mark(_ scope: RemovalScope) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let reopened = try group.open()
        SyscallFaults.with([.init(.fallocate, .noSpace, times: 1000)]) {
            // Until only the reserve is there; more is not to be had.
            var failure: StorageError.Code?
            while failure == nil { failure = code { try reopened.write([Boxes.record(1, in: 1, secret: 20_000)]) } }
            #expect(failure == .full)
            #expect(code { try reopened.write([Boxes.record(2, in: 1, secret: 20_000)]) } == .full)
            #expect(throws: Never.self) {
                try reopened.commit(until: .standard) { _, batch throws(StorageError) in
                    batch.declareRemoval(of: scope)
                    try batch.put(Boxes.record(2, in: 1, secret: 0))
                }
            }
        }
        #expect(try group.open().facts(2, in: 1) == Boxes.record(2, in: 1).facts)
    }
    #endif
}
