// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
internal import TokenCaching

extension GroupExamination {
    /// Checks whether the disk has room for a save. A quota shows only when something is written: see the write probe.
    mutating func space(in directory: GroupDirectory) {
        guard directory.readOnlyReason == nil || isUnused, let room = directory.freeSpace else { return }
        let needed = FileStore.saveByteCount
        let point = directory.mountPoint ?? directory.path.string
        if room.fileCount == 0 {
            return note(
                .space,
                level: .problem,
                text: "the file system \(point) has no room for another file",
                advice: "Remove some files from \(point)."
            )
        }
        guard room.byteCount < needed else {
            return note(
                .space,
                level: .fine,
                text: "\(point) has room for a save (\(Self.kibibytes(room.byteCount)) free)"
            )
        }
        note(
            .space,
            level: .problem,
            text: "the file system \(point) is full: \(Self.kibibytes(room.byteCount)) free, and a save needs up to "
                + Self.kibibytes(needed),
            advice: "Free \(Self.kibibytes(needed - room.byteCount)) on \(point). Signing out works even without that."
        )
    }

    private static func kibibytes(_ count: UInt64) -> String {
        let kibibytes = (count + 1_023) / 1_024
        return kibibytes < 10_240 ? "\(kibibytes) KiB" : "\(kibibytes / 1_024) MiB"
    }

    /// Checks for what an interrupted operation left behind.
    mutating func leftovers(in directory: GroupDirectory) {
        let temporary = directory.staleTemporaryCount
        if temporary > 0 {
            note(
                .leftovers,
                level: .note,
                text:
                    "an interrupted operation left \(temporary) temporary file\(temporary == 1 ? "" : "s") in \(directory.path)",
                advice: "cachetool compact removes \(temporary == 1 ? "it" : "them"), and so does the next sign-out."
            )
        }
        for path in location.orphanedKeyFiles() {
            note(
                .leftovers,
                level: .note,
                text: "\(path) is a key file of a group that is not below this root",
                advice:
                    "Keep it if that group is elsewhere, or in a backup; otherwise remove it: rm \(ShellWord.quoted(path))"
            )
        }
    }
}
