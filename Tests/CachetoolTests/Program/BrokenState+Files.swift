// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension BrokenState {
    static let byFiles: [BrokenState] = [
        BrokenState(
            testDescription: "a journal that others can read",
            topic: "files",
            cause: "mode 0644",
            fix: "chmod 600",
            make: { try chmod(0o644, $0.journal.path()) }
        ),
        BrokenState(
            testDescription: "a folder of the group that others can read",
            topic: "folder",
            cause: "mode 0755",
            fix: "chmod 700",
            make: { try chmod(0o755, $0.folder) }
        ),
        BrokenState(
            testDescription: "a root that others can write",
            topic: "folder",
            cause: "mode 0777",
            fix: "chmod go-w",
            make: { try chmod(0o777, $0.root) }
        ),
        BrokenState(
            testDescription: "a key file that others can read",
            topic: "opening",
            cause: "mode 0644",
            fix: "chmod 600",
            make: { try chmod(0o644, $0.keyFile) }
        ),
        BrokenState(
            testDescription: "a damaged state file",
            topic: "store",
            cause: "says where the records of this group are",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.folder + "/store") { $0[$0.count / 2] ^= 1 } }
        ),
        BrokenState(
            testDescription: "a state file that is none",
            topic: "store",
            cause: "says where the records of this group are",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.folder + "/store") { $0 = Data("garbage".utf8) } }
        ),
        BrokenState(
            testDescription: "a damaged record",
            topic: "records",
            cause: "verify",
            fix: "cachetool repair --group contoso",
            make: { group in
                try group.change(group.journal.path()) { bytes in
                    let used = bytes.lastIndex { $0 != 0 } ?? 0
                    bytes[used - 40] ^= 1
                }
            }
        ),
        BrokenState(
            testDescription: "a journal that lost the end of its last transaction",
            topic: "opening",
            cause: "damaged",
            fix: "cachetool repair --group contoso",
            make: { group in
                try group.change(group.journal.path()) { bytes in
                    // The mark of 16 bytes behind it goes with its last byte.
                    bytes = bytes.prefix((bytes.lastIndex { $0 != 0 } ?? 16) - 16)
                }
            }
        ),
        BrokenState(
            testDescription: "a damaged header",
            topic: "opening",
            cause: "The stored data is damaged",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.journal.path()) { $0[200] ^= 1 } }
        ),
        BrokenState(
            testDescription: "damaged key slots",
            topic: "opening",
            cause: "the key opens the copy of the key slots",
            fix: "cachetool repair --group contoso",
            make: { group in
                try group.change(group.journal.path()) { bytes in
                    for offset in 300..<303 { bytes[offset] ^= 0xFF }
                }
            }
        ),
        BrokenState(
            testDescription: "an empty journal",
            topic: "opening",
            cause: "is empty",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.journal.path()) { $0 = Data() } }
        ),
        BrokenState(
            testDescription: "a journal that is gone",
            topic: "opening",
            cause: "is gone",
            fix: "cachetool repair --group contoso",
            make: { try FileManager.default.removeItem(at: $0.journal) }
        ),
        BrokenState(
            testDescription: "a journal of something else",
            topic: "opening",
            cause: "is not a journal",
            fix: "cachetool repair --group contoso",
            make: { group in
                try group.change(group.journal.path()) { $0 = Data(repeating: UInt8(ascii: "x"), count: 9_000) }
            }
        ),
        BrokenState(
            testDescription: "a folder of another group",
            topic: "opening",
            cause: "belongs to a group of another name",
            fix: "cachetool repair --group contoso --adopt",
            make: replaceByAnotherGroup
        ),
        BrokenState(
            testDescription: "a symbolic link in the place of the journal",
            topic: "files",
            cause: "symbolic link",
            fix: "remove it",
            // Behind the link the journal is gone.
            rounds: 2,
            make: { group in
                try FileManager.default.moveItem(atPath: group.journal.path(), toPath: group.home.path + "/elsewhere")
                try FileManager.default.createSymbolicLink(
                    atPath: group.journal.path(),
                    withDestinationPath: group.home.path + "/elsewhere"
                )
            },
            person: { group, advice in
                if advice.contains("remove it") { try FileManager.default.removeItem(at: group.journal) }
            }
        ),
        BrokenState(
            testDescription: "a folder in the place of the journal",
            topic: "files",
            cause: "a folder exists where a regular file is expected",
            fix: "remove it",
            // Without the folder the journal is gone.
            rounds: 2,
            make: { group in
                try FileManager.default.removeItem(at: group.journal)
                try FileManager.default.createDirectory(at: group.journal, withIntermediateDirectories: false)
            },
            person: { group, advice in
                if advice.contains("remove it") { try FileManager.default.removeItem(at: group.journal) }
            }
        ),
        BrokenState(
            testDescription: "another key file than the group's",
            topic: "opening",
            cause: "This key does not open the group",
            fix: "Use the right passphrase or key file",
            make: { group in
                let other = group.home.path + "/other.key"
                try Data((0..<32).map { UInt8($0) }).write(to: URL(filePath: other))
                try chmod(0o600, other)
                group.options += ["--key-file", other]
            },
            person: { group, _ in group.options.removeLast(2) }
        ),
        BrokenState(
            testDescription: "a key file that is gone",
            topic: "opening",
            cause: "there is no such key file",
            fix: "away to start over",
            make: { try FileManager.default.removeItem(atPath: $0.keyFile) },
            person: startOver
        ),
        BrokenState(
            testDescription: "a key file of something else",
            topic: "opening",
            cause: "changed or replaced",
            fix: "away to start over",
            make: { group in try group.change(group.keyFile) { $0 = Data(repeating: 7, count: 32) } },
            person: startOver
        ),
        BrokenState(
            testDescription: "another user's folder",
            topic: "folder",
            cause: "belongs to user 65534",
            fix: "Run this as user 65534",
            needsRoot: true,
            make: { group in try chown(65_534, group.home.path) },
            person: { group, _ in group.userID = 65_534 }
        ),
        BrokenState(
            testDescription: "a stopped writer",
            topic: "locks",
            cause: "is stopped (state T)",
            fix: "kill -CONT",
            hasSince: true,
            make: { group in try holdLock(group, namesItself: true) }
        ),
        BrokenState(
            testDescription: "a stopped writer, where the file names a process that has ended",
            topic: "locks",
            cause: "is stopped (state T)",
            fix: "kill -CONT",
            make: { group in try holdLock(group, namesItself: false) }
        ),
    ]

    /// Puts the files of another group into the folder.
    @Sendable static func replaceByAnotherGroup(_ group: DoctoredGroup) throws {
        group.options = ["--group", "other"]
        try group.fill()
        group.options = ["--group", DoctoredGroup.name]
        for name in ["store", "journal"] {
            let bytes = try Data(contentsOf: URL(filePath: group.root + "/other/" + name))
            try group.change(group.folder + "/" + name) { $0 = bytes }
        }
    }

    static func chmod(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    static func chown(_ user: Int, _ path: String) throws {
        let done = try Program(path: "/bin/chown").run(["-R", "\(user)", path])
        guard done.exitCode == 0 else { throw Unfit(reason: done.messages) }
    }

    /// The text says truly that the content cannot be had back.
    private static func startOver(_ group: DoctoredGroup, _ advice: String) throws {
        #expect(advice.contains("move \(group.folder) away to start over"))
        try FileManager.default.moveItem(atPath: group.folder, toPath: group.home.path + "/away")
        try group.fill()
    }

    /// Has a process take the writer's lock as any program of the group does, and stops it.
    static func holdLock(_ group: DoctoredGroup, namesItself: Bool) throws {
        let script = """
            import fcntl, os, signal, struct, sys, time
            # Whoever runs the tests may block signals.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            signal.signal(signal.SIGCONT, lambda *_: sys.exit())
            file = os.open(sys.argv[1], os.O_RDWR)
            fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
            os.pwrite(file, b"%-15d\\n" % (os.getpid() if sys.argv[2] == "True" else 4194303), 0)
            print("locked", flush=True)
            time.sleep(600)
            """
        let holder = try Program(path: "/usr/bin/python3").start(
            ["-c", script, group.folder + "/lock", namesItself ? "True" : "False"]
        )
        group.processes.append(holder)
        guard holder.waitForLines(1) == ["locked"] else { throw Unfit(reason: "the lock was not taken") }
        holder.stop()
    }
}
