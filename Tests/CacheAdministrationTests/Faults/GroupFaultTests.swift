// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Groups while the system refuses")
struct GroupFaultTests {
    /// Every call that can fail, with an error that it really gives.
    static let faults: [(SyscallFaults.Call, Errno)] = SyscallFaults.Call.allCases.flatMap {
        call -> [(SyscallFaults.Call, Errno)] in
        switch call {
        case .pwrite, .fallocate, .mkdir: [(call, .noSpace), (call, .ioError)]
        case .open: [(call, .tooManyOpenFiles), (call, .permissionDenied)]
        default: [(call, .ioError)]
        }
    }

    static let document = Document.sections([
        "AccessToken": [Document.accessToken()], "Account": [Document.account()],
    ])

    /// Runs `body` again and again, each time with the next call of that kind failing once, until none is left to fail.
    /// Calls that are `unused` are never made by what is run.
    private func everyCall(
        _ call: SyscallFaults.Call,
        _ error: Errno,
        unused: Set<SyscallFaults.Call> = [],
        _ body: (_ attempt: Int, _ run: (() throws -> Void) -> (any Error)?) throws -> Void
    ) throws {
        var isLast = false
        var failedCount = 0
        for attempt in 0..<300 where !isLast {
            try body(attempt) { work in
                SyscallFaults.with([SyscallFaults.Fault(call, error, after: attempt)]) {
                    defer {
                        isLast = SyscallFaults.isPending
                        if !isLast { failedCount += 1 }
                    }
                    do {
                        try work()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
        }
        #expect(isLast)
        #expect((failedCount == 0) == unused.contains(call), "\(call) failed \(failedCount) times")
    }

    @Test("a creation that fails anywhere fails with a typed error, and the next one succeeds", arguments: faults)
    func creation(call: SyscallFaults.Call, error: Errno) throws {
        let fixture = GroupFixture()
        try everyCall(call, error, unused: [.ftruncate, .unlink]) { attempt, run in
            let name = "group\(attempt)"
            let failure = run { try fixture.create(name: name).put(1) }
            #expect(failure == nil || failure is StorageError)
            let group = try fixture.create(name: name)
            try group.put(2)
            #expect(try group.has(2), "\(call) \(error) after \(attempt)")
        }
    }

    @Test("an import that fails anywhere changes nothing or is complete", arguments: faults)
    func importing(call: SyscallFaults.Call, error: Errno) throws {
        let fixture = GroupFixture()
        let path = fixture.scratch.write(Self.document.bytes, to: "in.json")
        try everyCall(call, error, unused: [.fsync, .ftruncate, .fallocate, .rename, .unlink, .mkdir, .mmap]) {
            attempt,
            run in
            let name = "group\(attempt)"
            let group = try fixture.createGroup(name: name)
            let failure = run { _ = try group.importEntries(from: .path(path)) }
            #expect(failure == nil || failure is TokenCacheError)
            let again = CacheGroup(try fixture.create(name: name), timeout: .seconds(20))
            let count = try again.give().sections.count
            #expect(count == 2 || failure != nil && count == 0, "\(call) \(error) after \(attempt)")
            _ = try again.importEntries(from: .path(path))
            #expect(try again.give().value == Self.document.value)
        }
    }

    @Test("an export that fails anywhere leaves the old file and nothing else", arguments: faults)
    func exporting(call: SyscallFaults.Call, error: Errno) throws {
        let fixture = GroupFixture()
        let group = try fixture.createGroup()
        try group.take(Self.document)
        let path = fixture.scratch.path("out.json")
        try everyCall(call, error, unused: [.fdatasync, .ftruncate, .fallocate, .unlink, .mkdir, .mmap, .lock]) {
            attempt,
            run in
            fixture.scratch.write([1, 2, 3], to: "out.json")
            var damagedCount = 0
            let failure = run { damagedCount = try group.exportEntries(to: .path(path)).damagedCount }
            #expect(failure == nil || failure is TokenCacheError)
            let written = try #require(FileManager.default.contents(atPath: path))
            // What the disk does not give is left out and counted.
            if written != Data([1, 2, 3]), damagedCount == 0 {
                #expect(Document(Array(written)).value == Self.document.value)
            }
            if failure == nil { #expect(written.count > 3, "\(call) \(error) after \(attempt)") }
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.scratch.path).sorted()
            #expect(names == [".keys", "group", "out.json"])
        }
    }

    @Test("a change of keys that fails anywhere leaves a group that opens", arguments: faults)
    func rekeying(call: SyscallFaults.Call, error: Errno) throws {
        let fixture = GroupFixture()
        let group = try fixture.createGroup()
        try group.take(Self.document)
        try everyCall(call, error, unused: [.ftruncate, .fallocate, .mkdir, .mmap]) { attempt, run in
            let failure = run { _ = try group.rekey() }
            #expect(failure == nil || failure is TokenCacheError)
            let again = CacheGroup(try fixture.open(), timeout: .seconds(20))
            #expect(try again.give().value == Self.document.value, "\(call) \(error) after \(attempt)")
        }
        _ = try CacheGroup(fixture.open(), timeout: .seconds(20)).rekey()
        #expect(fixture.keyFiles.count == 1)
    }

    @Test("clearing works on a full disk")
    func clearingOnFullDisk() throws {
        let fixture = GroupFixture()
        let group = try fixture.createGroup()
        try group.take(Self.document)
        let fault = SyscallFaults.Fault(.fallocate, .noSpace, times: 1_000)
        let report = try SyscallFaults.with([fault]) { () throws(TokenCacheError) in
            try group.clear(matching: EntryFilter(account: "uid.utid"))
        }
        #expect(report.entryCount == 2)
    }
}
