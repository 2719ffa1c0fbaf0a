// SPDX-License-Identifier: Apache-2.0

import Testing

/// The check of orders finds what is wrong, and nothing else.
@Suite("checks of the order of syncs")
struct SyncOrderCheckTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
        let problem: String

        init(_ description: String, _ problem: String = "", _ lines: String...) {
            testDescription = description
            self.problem = problem
            self.lines = ["1 openat(AT_FDCWD, \"/r/g\", O_RDONLY|O_DIRECTORY) = 3"] + lines + ["1 exit_group(0) = ?"]
        }
    }

    private static let temporary = #"1 openat(3, "tmp.1", O_RDWR|O_CREAT|O_EXCL, 0600) = 4"#
    private static let journal = #"1 openat(3, "journal", O_RDWR) = 5"#
    private static let page = #"1 openat(3, "revision", O_RDWR) = 6"#
    private static let put = #"1 renameat(3, "tmp.1", 3, "journal") = 0"#
    private static let write = #"1 pwrite64(4, "a, 5)"..., 9, 0) = 9"#
    private static let frame = #"1 pwrite64(5, "f", 1, 0) = 1"#

    private static let good = [
        Sample("nothing"),
        Sample("a new file", "", temporary, write, "1 fsync(4) = 0", put, "1 fsync(3) = 0"),
        Sample("a frame", "", journal, page, frame, "1 fdatasync(5) = 0", #"1 pwrite64(6, "x", 1, 0) = 1"#),
        Sample(
            "the mark of a synced frame",
            "",
            journal,
            frame,
            "1 fdatasync(5) = 0",
            #"1 pwrite64(5, "m"..., 16, 1) = 16"#
        ),
        Sample("a write that failed", "", journal, #"1 pwrite64(5, "f", 1, 0) = -1 ENOSPC (No space left on device)"#),
        Sample("a temporary file that is thrown away", "", temporary, write, #"1 unlinkat(3, "tmp.1", 0) = 0"#),
        Sample(
            "a sync that was told of in two pieces",
            "",
            journal,
            frame,
            "1 fdatasync(5 <unfinished ...>",
            "2 futex(0x1, FUTEX_WAKE) = 0",
            "1 <... fdatasync resumed>) = 0"
        ),
        Sample(
            "a file that got its name before it was written to",
            "",
            temporary,
            "1 fsync(4) = 0",
            put,
            "1 fsync(3) = 0"
        ),
    ]

    private static let bad = [
        Sample(
            "a file put in place too early",
            "put in place before it was synced",
            temporary,
            write,
            put,
            "1 fsync(3) = 0"
        ),
        Sample("a folder that is not synced", "ended before g was synced", temporary, write, "1 fsync(4) = 0", put),
        Sample("a frame that is not synced", "ended before g/journal was synced", journal, frame),
        Sample(
            "a sync that failed",
            "ended before g/journal",
            journal,
            frame,
            "1 fdatasync(5) = -1 EIO (Input/output error)"
        ),
        Sample(
            "others told too early",
            "told before g/journal",
            journal,
            page,
            frame,
            #"1 pwrite64(6, "x", 1, 0) = 1"#,
            "1 fdatasync(5) = 0"
        ),
        Sample(
            "said too early",
            "said something before g/journal",
            journal,
            frame,
            #"1 write(1, "saved", 5) = 5"#,
            "1 fdatasync(5) = 0"
        ),
        Sample(
            "written while it is synced",
            "ended before g/journal",
            journal,
            frame,
            "1 fdatasync(5 <unfinished ...>",
            #"2 pwrite64(5, "g", 1, 1) = 1"#,
            "1 <... fdatasync resumed>) = 0"
        ),
        Sample(
            "two names without a sync between them",
            "g/store was put in place before g was synced",
            #"1 unlinkat(3, "journal", 0) = 0"#,
            #"1 renameat(3, "tmp.2", 3, "store") = 0"#,
            "1 fsync(3) = 0"
        ),
        Sample(
            "a folder whose name is not synced",
            "before the root was synced",
            #"1 mkdirat(3, "../other", 0700) = 0"#
        ),
        Sample(
            "a key removed before the folder is known to be durable",
            "before the folder of a group was synced",
            #"1 openat(AT_FDCWD, "/r/.keys", O_RDONLY|O_DIRECTORY) = 7"#,
            #"1 unlinkat(7, "1234", 0) = 0"#,
            "1 fsync(7) = 0"
        ),
        Sample(
            "a file reached through another number",
            "ended before g/journal",
            journal,
            "1 fcntl(5, F_DUPFD_CLOEXEC, 0) = 9",
            "1 close(5) = 0",
            #"1 pwrite64(9, "f", 1, 0) = 1"#
        ),
    ]

    @Test("operations that are durable in time are in order", arguments: good)
    func accepts(sample: Sample) {
        #expect(SyncOrder(of: sample.lines, below: "/r").problems.isEmpty)
    }

    @Test("operations that a power failure could undo are reported", arguments: bad)
    func refuses(sample: Sample) {
        let problems = SyncOrder(of: sample.lines, below: "/r").problems
        #expect(problems.contains { $0.contains(sample.problem) }, "\(problems)")
    }
}
