// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// More readers than the system has instances of inotify for.
@Suite(
    "many readers",
    .serialized,
    .enabled(if: Namespace.canLimit, "needs a user namespace"),
    .timeLimit(.minutes(Scale.pick(10, release: 240)))
)
struct CrowdTests {
    @Test("when inotify instances run out, all readers find a save at once, and all watchers report it")
    func crowd() throws {
        let count = Scale.pick(100, release: 2_000)
        let workers = try Workers()
        _ = try workers.run("save")
        let arguments = workers.arguments("crowd", ["count": count])
        let crowd = try Namespace.env.start(Namespace.command + [Program.groupWorker.path] + arguments)
        let opened = crowd.waitForLines(2)
        try #require(opened.count == 2, "\(crowd.messagesSoFar)")
        #expect(opened.last == "polling \(count - 16) of \(count)")
        for number in 1...3 {
            _ = try workers.run("save", ["from": number])
            crowd.writeLine("find")
            // The next line may be there already.
            #expect(crowd.waitForLines(2 * number + 1).dropFirst(2 * number).first == "found \(number) by \(count)")
            #expect(crowd.waitForLines(2 * number + 2).last == "told \(count)")
        }
        #expect(try crowd.finish().exitCode == 0)
    }
}

/// A namespace of its own limits the instances of what runs in it, and of nothing else.
private enum Namespace {
    static let env = Program(path: "/usr/bin/env")
    static let command = [
        "unshare", "--user", "--map-root-user", "sh", "-c",
        #"echo 16 > /proc/sys/user/max_inotify_instances && exec "$@""#, "sh",
    ]

    static let canLimit = (try? env.run(command + ["true"]))?.exitCode == 0
}
