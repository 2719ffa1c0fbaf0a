// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import StoreConformance
import SystemPackage
import Testing

@Suite("Numbers of descriptors")
struct DescriptorNumberTests {
    let scratch = Scratch()

    @Test(
        "no file of a group becomes standard input, output or error where these are closed",
        arguments: [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]] as [[Int32]]
    )
    func aboveStandard(closed: [Int32]) async throws {
        let path = try scratch.group().path.string
        await #expect(processExitsWith: .success) { [path = path as String, closed = closed as [Int32]] in
            let group = FilePath(path)
            for number in closed { close(number) }
            let directory = try GroupDirectory.open(
                root: group.removingLastComponent(),
                name: GroupName(group.lastComponent?.string ?? ""),
                access: .readWrite
            )
            let file = try directory.openFile("file", .creating)
            try Syscalls.write(file.descriptor, at: 0, [1, 2, 3])
            // What the process prints reaches none of its files.
            for number: Int32 in 0...2 { _ = unsafe write(number, "text", 4) }
            guard try Syscalls.read(file.descriptor, at: 0, count: 100) == [1, 2, 3] else { exit(3) }
            // Other libraries may open what they like there.
            for number in closed {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                guard target?.hasPrefix(path) != true else { exit(4) }
            }
            exit(0)
        }
    }
}
