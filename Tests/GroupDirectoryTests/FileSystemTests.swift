// SPDX-License-Identifier: Apache-2.0

import GroupDirectory
import SystemPackage
import Testing

@Suite("File systems")
struct FileSystemTests {
    @Test(
        "network file systems are refused by name",
        arguments: [
            (0x6969, "NFS"), (0x517B, "SMB"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB"), (0x0102_1997, "9P"),
        ] as [(UInt32, String)]
    )
    func network(magic: UInt32, name: String) {
        #expect(FileSystemKind.refusedName(magic: magic) { nil } == name)
    }

    @Test("local ones are not", arguments: [0xEF53, 0x0102_1994, 0x5846_5342, 0x9123_683E, 0x794C_7630] as [UInt32])
    func local(magic: UInt32) {
        #expect(FileSystemKind.refusedName(magic: magic) { nil } == nil)
    }

    @Test(
        "of those in user space only the known local ones are taken",
        arguments: [
            ("fuse.gocryptfs", nil), ("fuseblk", nil), ("fuse.sshfs", "fuse.sshfs"), ("fuse", "fuse"), (nil, "FUSE"),
        ] as [(String?, String?)]
    )
    func userSpace(type: String?, expected: String?) {
        #expect(FileSystemKind.refusedName(magic: 0x6573_5546) { type } == expected)
    }

    @Test("the table of mounts names the type of a device")
    func mounts() throws {
        let scratch = Scratch()
        let identity = try #require(try scratch.group().identity(of: "lock"))
        let type = try #require(FileSystemKind.mountType(ofDevice: identity.device))
        #expect(!type.isEmpty && !type.contains("/"))
        #expect(FileSystemKind.mountType(ofDevice: UInt64.max) == nil)
    }
}
