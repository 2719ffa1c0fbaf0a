// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("An import that is killed")
struct KilledImportTests {
    let fixture = GroupFixture()

    /// About 6 MB: more than is prepared without the lock.
    private static let large = Document.sections([
        "AccessToken": (0..<3_000).map {
            Document.accessToken(user: "u\($0).t", secret: "\($0)" + String(repeating: "s", count: 1_500))
        },
        "Account": (0..<3_000).map { Document.account(user: "u\($0).t") },
    ])

    /// When it is killed, in milliseconds after the news that only the commit is left. Nil: at the first news of all; the
    /// largest number: once it is done.
    private static let moments: [UInt32?] = [nil, 0, 1, 3, 10, 30, 100, .max]

    @Test("changes nothing or is complete")
    func killed() async throws {
        var counts: [Int] = []
        for (number, moment) in Self.moments.enumerated() {
            let name = "group\(number)"
            let count = try await countAfterKill(moment, name)
            #expect(count == 0 || count == 3_000)
            counts.append(count)
        }
        // Before it began to commit there is nothing of it, and when it was done all of it.
        #expect(counts.first == 0 && counts.last == 3_000, "\(counts)")
    }

    private func countAfterKill(_ moment: UInt32?, _ name: String) async throws -> Int {
        let old = Document.sections(["Account": [Document.account(user: "before.t")]])
        try fixture.createGroup(name: name).take(old)
        let path = fixture.scratch.write(Self.large.bytes, to: "large.json")
        let root = fixture.scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, path = path as String, name = name as String, moment = moment as UInt32?] in
            let group = try CacheGroup.open(name, root: root)
            _ = try group.importEntries(
                from: .path(path),
                progress: { progress in
                    if moment == nil { kill(getpid(), SIGKILL) }
                    if progress.phase == .finishing, let moment, moment != .max {
                        Thread.detachNewThread {
                            usleep(moment * 1_000)
                            kill(getpid(), SIGKILL)
                        }
                    }
                    return .proceed
                }
            )
            if moment == .max { kill(getpid(), SIGKILL) }
            while true { sleep(1) }
        }
        let group = CacheGroup(try fixture.create(name: name), timeout: .seconds(20))
        let count = try group.give().keys("AccessToken").count
        #expect(try group.give().keys("Account").count == count + 1)
        #expect(try group.verify().isSound)
        // The next one goes through, and what the killed one left in the folder is gone afterwards.
        _ = try group.importEntries(from: .path(path))
        _ = try group.clear(matching: EntryFilter(account: "before.t"))
        #expect(try group.give().value == Self.large.value)
        let names = try FileManager.default.contentsOfDirectory(atPath: try #require(group.location.folder))
        #expect(names.filter { $0.hasPrefix("tmp.") }.isEmpty)
        return count
    }
}
