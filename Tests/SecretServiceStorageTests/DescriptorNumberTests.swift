// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import SecretServiceStorage
import SystemPackage
import Testing

@Suite("Numbers of descriptors beside a keyring", .timeLimit(.minutes(5)))
struct DescriptorNumberTests {
    @Test(
        "a keyring's sockets never become standard input, output or error",
        arguments: ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"]
    )
    func aboveStandard(closings: String) throws {
        let keyring = try PrivateKeyring()
        let group = try ScratchGroup(keyring.location())
        try group.create().close()
        // The worker prints each number that it saved to whatever standard output is.
        let running = try Program(path: "/bin/sh").start(
            ["-c", #"eval "exec \"\$@\" "# + closings + "\"", "sh", Program.folder + "/keyring-worker"]
                + [keyring.address, group.root.string, group.name.text, "1", "1", "1000000"]
        )
        defer { running.kill() }
        let closed = ["<&-", ">&-", "2>&-"].enumerated().filter { closings.split(separator: " ").contains($1[...]) }
        // Until it uses the keyring: then everything is open. A socket alone may be inherited from this process.
        let end = ContinuousClock.now + .seconds(60)
        let files = "/proc/\(running.processID)/fd/"
        var targets: [Int: String] = [:]
        func has(_ beginning: String) -> Bool { targets.values.contains { $0.hasPrefix(beginning) } }
        func isFilled() -> Bool { closed.allSatisfy { targets[$0.offset] == "/dev/null" } }
        while !(has("socket:") && has(group.root.string) && isFilled()), ContinuousClock.now < end {
            usleep(2_000)
            targets = try FileManager.default.contentsOfDirectory(atPath: files).reduce(into: [:]) {
                $0[Int($1) ?? -1] = try? FileManager.default.destinationOfSymbolicLink(atPath: files + $1)
            }
        }
        #expect(has("socket:") && has(group.root.string), "\(targets)")
        #expect(isFilled(), "\(targets)")
    }
}
