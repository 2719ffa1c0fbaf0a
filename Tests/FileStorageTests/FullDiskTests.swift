// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SystemPackage
import Testing

@Suite("A disk that is full")
struct FullDiskTests {
    /// A file system in memory of this size, mounted for one test. Needs to be root.
    static func mount(kibibytes: Int) -> String? {
        guard geteuid() == 0 else { return nil }
        let folder = "/tmp/stc-full-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return run("mount", ["-t", "tmpfs", "-o", "size=\(kibibytes)k,mode=700", "none", folder]) ? folder : nil
    }

    static func unmount(_ folder: String) {
        _ = run("umount", ["-l", folder])
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        guard (try? process.waitUntilExit(within: .seconds(60))) != nil else { return false }
        return process.terminationStatus == 0
    }

    static let canMount: Bool = {
        guard let folder = mount(kibibytes: 64) else { return false }
        unmount(folder)
        return true
    }()

    @Test(
        "puts are refused, removals work and erase, and with room again everything works",
        .enabled(if: canMount || Root.isHere, "needs root to mount")
    )
    func realFullDisk() throws {
        let folder = try #require(Self.mount(kibibytes: 1024))
        defer { Self.unmount(folder) }
        let group = try ScratchGroup(under: folder)
        // Removed in the end, to make room.
        let ballast = group.root.appending("ballast").string
        try Data(count: 100_000).write(to: URL(fileURLWithPath: ballast))
        let store = try group.create()
        var count: UInt64 = 0
        while code(of: { try store.write([Boxes.record(count, in: count, secret: 8000)]) }) == nil { count += 1 }
        #expect(count > 30)
        // Fill what the reserve of the journal does not hold.
        let filler = group.root.appending("filler").string
        var bytes = 400_000
        while bytes > 0, (try? Data(count: bytes).write(to: URL(fileURLWithPath: filler))) == nil { bytes /= 2 }
        #expect(code { try store.write([Boxes.record(999, in: 1, secret: 8000)]) } == .full)
        let before = try group.bytes()
        for number in 0..<20 as Range<UInt64> {
            let removal = Removal(tag: Boxes.tag(number), partition: Boxes.partition(number), erasesSecret: true)
            try store.write(removing: [removal])
            #expect(try !group.contains(Boxes.record(number, in: number, secret: 8000).secret))
        }
        #expect(try group.bytes().count > before.count)
        let other = try group.open()
        for number in 0..<count {
            let expected = number < 20 ? nil : Boxes.record(number, in: number, secret: 8000).secret
            #expect(try other.secret(number, in: number) == expected)
        }
        for file in [filler, ballast] { try? FileManager.default.removeItem(atPath: file) }
        try other.write([Boxes.record(999, in: 1, secret: 8000)])
        #expect(try other.verify().isSound)
    }
}
