// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import SystemPackage

/// Identifies file systems that do not provide the locks, shared mappings and syncs that a group relies on.
package enum FileSystemKind {
    /// The names of file systems whose locks other machines may not see, or whose mappings are not shared.
    ///
    /// A switch, because a process that opens one group would spend more time building a dictionary than using it.
    private static func refused(_ magic: UInt32) -> String? {
        switch magic {
        case 0x6969: "NFS"
        case 0x517B, 0xFE53_4D42: "SMB"
        case 0xFF53_4D42: "CIFS"
        case 0x0102_1997: "9P"
        case 0x0BD0_0BD0: "Lustre"
        case 0x00C3_6400: "Ceph"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        case 0x7375_7245: "Coda"
        case 0x564C: "NCP"
        case 0x4750_4653: "GPFS"
        case 0x1987_0814, 0x2003_0528: "OrangeFS"
        default: nil
        }
    }

    private static let fuse: UInt32 = 0x6573_5546

    /// Whether it is a tmpfs or a ramfs.
    static func isInMemory(_ magic: UInt32) -> Bool { magic == 0x0102_1994 || magic == 0x8584_58F6 }

    /// FUSE file systems that are local to this machine.
    private static let localFUSE: Set<String> = [
        "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.fuse-overlayfs", "fuse.bindfs", "fuse.mergerfs",
        "fuse.securefs", "fuseblk", "fuse.ntfs-3g", "fuse.exfat",
    ]

    /// The name of an unreliable file system; `nil` for any other. `magic` is the number of its type. `mountType`
    /// returns its type in the mount table, and is called only if the number is ambiguous.
    package static func refusedName(magic: UInt32, mountType: () -> String?) -> String? {
        if let name = refused(magic) { return name }
        guard magic == fuse else { return nil }
        let type = mountType()
        if let type, localFUSE.contains(type) { return nil }
        return type ?? "FUSE"
    }

    /// Throws ``StorageError/Code/networkFileSystem`` if the folder is on an unreliable file system.
    static func check(_ magic: UInt32, folder: FolderHandle, device: UInt64) throws(StorageError) {
        guard let name = refusedName(magic: magic, mountType: { mountType(ofDevice: device) }) else { return }
        throw StorageError(
            .networkFileSystem,
            path: folder.path.string,
            detail: "its type is \(name)",
            advice:
                "Choose a root folder on a local disk, or set TOKEN_CACHE_ALLOW_NETWORK_FS=1 if only one machine uses the folder"
        )
    }

    /// The type of the mounted file system with this device number, from /proc/self/mountinfo.
    package static func mountType(ofDevice device: UInt64) -> String? {
        mount(ofDevice: device)?.type
    }

    /// The mount point and type of the file system with this device number.
    package static func mount(ofDevice device: UInt64) -> (point: String, type: String)? {
        guard let text = Syscalls.smallSystemFile("/proc/self/mountinfo", limit: 1 << 20) else { return nil }
        let wanted = Array("\(major(device)):\(minor(device))".utf8)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count > 6, fields[2].elementsEqual(wanted) else { continue }
            guard let mark = fields.firstIndex(where: { $0.elementsEqual([UInt8(ascii: "-")]) }) else { continue }
            guard mark + 1 < fields.count else { continue }
            return (
                String(decoding: fields[4], as: UTF8.self), String(decoding: fields[mark + 1], as: UTF8.self)
            )
        }
        return nil
    }

    private static func major(_ device: UInt64) -> UInt64 {
        (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    }

    private static func minor(_ device: UInt64) -> UInt64 {
        device & 0xFF | (device >> 12) & ~0xFF
    }
}
