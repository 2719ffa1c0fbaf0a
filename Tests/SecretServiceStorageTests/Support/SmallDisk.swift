// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs

/// A file system in memory that is mounted as long as the value lives.
final class SmallDisk {
    private let folder: String

    /// Mounting needs to be root, with the rights that root has as a rule.
    static let isPossible: Bool = {
        guard geteuid() == 0, let folder = try? ScratchRoot() else { return false }
        return (try? SmallDisk(at: folder.path, kibibytes: 64)) != nil
    }()

    init(at folder: String, kibibytes: Int) throws {
        self.folder = folder
        let options = "size=\(kibibytes)k,mode=700"
        guard try Self.run("mount", "-t", "tmpfs", "-o", options, "none", folder) else {
            throw Unfit(reason: "a disk cannot be mounted")
        }
    }

    deinit { _ = try? Self.run("umount", "-l", folder) }

    private var rest: String { folder + "/rest" }

    /// Leaves no room on it.
    func fill() throws {
        _ = try Self.run("dd", "if=/dev/zero", "of=" + rest, "bs=1k")
    }

    func makeRoom() throws {
        try FileManager.default.removeItem(atPath: rest)
    }

    private static func run(_ command: String...) throws -> Bool {
        try Program(path: "/usr/bin/env").run(command).exitCode == 0
    }
}
