// SPDX-License-Identifier: Apache-2.0

/// Detects whether a name still refers to the same file in the same state, without reading a clock or the file. An
/// identity without change time compares only the file and its length, and never equals one with change time.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// The size in bytes.
    package let size: UInt64
    /// The time of the file's last change according to the file system; `nil` if not requested. Compare it only for
    /// equality, not for order.
    package let changeTime: ChangeTime?

    package struct ChangeTime: Hashable, Sendable {
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// The identity without the change time.
    package var withoutTime: FileIdentity {
        FileIdentity(device: device, inode: inode, size: size, changeTime: nil)
    }

    /// Whether both identify the same file, in any state.
    package func isSameFile(as other: FileIdentity) -> Bool {
        device == other.device && inode == other.inode
    }
}
