import Foundation
import Testing

@testable import TokenCaching

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

    @Test("leaves what was there before, or all of it", arguments: [0, 2, 5, 10, 20, 40, 80, 120, 160, 200])
    func killed(milliseconds: Int) async throws {
        let old = Document.sections(["Account": [Document.account(user: "before.t")]])
        try fixture.createGroup().take(old)
        let path = fixture.scratch.write(Self.large.bytes, to: "large.json")
        let root = fixture.scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, path = path as String, milliseconds = milliseconds as Int] in
            let group = try CacheGroup.open("group", root: root)
            let killer = Thread {
                usleep(UInt32(milliseconds) * 1_000)
                kill(getpid(), SIGKILL)
            }
            killer.start()
            while true {
                _ = try group.importEntries(from: .path(path), options: ImportOptions(replacesNewer: true))
            }
        }
        let group = CacheGroup(try fixture.open(), timeout: .seconds(20))
        let count = try group.give().keys("AccessToken").count
        #expect(count == 0 || count == 3_000)
        #expect(try group.give().keys("Account").count == count + 1)
        #expect(try group.verify().isSound)
        // The next one goes through, and what the killed one left in the folder is gone afterwards.
        _ = try group.importEntries(from: .path(path))
        _ = try group.clear(matching: EntryFilter(account: "before.t"))
        #expect(try group.give().value == Self.large.value)
        let names = try FileManager.default.contentsOfDirectory(atPath: try #require(group.path))
        #expect(names.filter { $0.hasPrefix("tmp.") }.isEmpty)
    }
}
