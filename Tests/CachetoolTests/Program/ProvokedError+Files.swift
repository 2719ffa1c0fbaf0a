// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage

extension ProvokedError {
    static func ofFiles(_ code: StorageError.Code) -> ProvokedError {
        switch code {
        case .unsafePermissions:
            ProvokedError(
                make: { try BrokenState.chmod(0o644, $0.journal.path()) },
                command: ["list"],
                exitCode: 8,
                cause: "The owner or the permissions are not safe",
                advice: "Make sure that no one tampered with it, then run chmod 600"
            )
        case .unsafeFile:
            ProvokedError(
                make: { group in
                    try FileManager.default.moveItem(atPath: group.journal.path(), toPath: group.folder + "/moved")
                    try FileManager.default.createSymbolicLink(
                        atPath: group.journal.path(),
                        withDestinationPath: group.folder + "/moved"
                    )
                },
                command: ["list"],
                exitCode: 8,
                cause: "This is not a regular file",
                advice: "Find out how it got there and remove it.",
                person: { group in
                    try FileManager.default.removeItem(at: group.journal)
                    // Behind the link the journal is gone: BrokenStateTests mends that with a repair, this with a backup.
                    try FileManager.default.moveItem(atPath: group.folder + "/moved", toPath: group.journal.path())
                }
            )
        case .networkFileSystem:
            ProvokedError(
                // The answer of the kernel is NFS.
                make: { $0.wrapper = injecting("fstatfs", "poke_exit=@arg2=6969000000000000") },
                command: ["list"],
                exitCode: 5,
                cause: "The folder is on a network file system, whose locks are not reliable",
                advice: "Choose a root folder on a local disk, or set TOKEN_CACHE_ALLOW_NETWORK_FS=1",
                person: { $0.environment["TOKEN_CACHE_ALLOW_NETWORK_FS"] = "1" }
            )
        case .readOnly:
            ProvokedError(
                make: { group in
                    let file = URL(filePath: group.home.path + "/cache.json")
                    try SampleCache().document.write(to: file)
                    try BrokenState.chown(65_534, group.home.path)
                    try BrokenState.chown(0, file.path())
                    try BrokenState.chmod(0o600, file.path())
                    group.userID = 65_534
                },
                command: ["import", "cache.json"],
                exitCode: 8,
                cause: "This process may not read or change the file or folder",
                advice: "Allow this user to read it, or pass the document on standard input.",
                needsRoot: true,
                run: { group, _, _ in try group.run(["import", group.home.path + "/cache.json"]) },
                person: { try BrokenState.chown(65_534, $0.home.path) }
            )
        case .damaged:
            ProvokedError(
                make: { group in try group.change(group.journal.path()) { $0[200] ^= 1 } },
                command: ["list"],
                exitCode: 7,
                cause: "The stored data is damaged",
                advice: "Nothing was overwritten; restore a backup, or run cachetool repair --group contoso."
            )
        case .foreign:
            ProvokedError(
                make: BrokenState.replaceByAnotherGroup,
                command: ["list"],
                exitCode: 7,
                cause: "The file belongs to another group",
                advice: "cachetool repair --group contoso --adopt"
            )
        default:
            ProvokedError(
                make: { group in
                    try FileManager.default.copyItem(
                        atPath: group.folder + "/store",
                        toPath: group.home.path + "/store"
                    )
                    try group.change(group.folder + "/store") { $0 = Data("swift-token-cache store 2\nnew\n".utf8) }
                },
                command: ["list"],
                exitCode: 7,
                cause: "The file was written by a newer version",
                advice: "Update this program.",
                // A newer program does not exist: what it would read is put back.
                person: { group in
                    let state = try Data(contentsOf: URL(filePath: group.home.path + "/store"))
                    try group.change(group.folder + "/store") { bytes in bytes = state }
                }
            )
        }
    }
}
