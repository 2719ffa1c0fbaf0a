// SPDX-License-Identifier: Apache-2.0

// SAFETY: the buffer is used only within the closure that lends it; the slice begins within its bounds.

package import RecordStorage
internal import SystemPackage

/// Reads descriptors of any kind, including pipes, directly into memory that the caller owns.
package enum DescriptorReader {
    /// Reads at least one byte into `room`, from `start` on; returns 0 only at the end.
    ///
    /// - Throws: ``TokenCacheError/Code/system``.
    package static func read(
        _ descriptor: Int32,
        into room: inout MutableRawSpan,
        from start: Int
    ) throws(StorageError) -> Int {
        let file = FileDescriptor(rawValue: descriptor)
        let result: Result<Int, any Error> = unsafe room.withUnsafeMutableBytes { buffer in
            Result { try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...])) }
        }
        switch result {
        case .success(let count): return count
        case .failure(let error): throw StorageError(.system, detail: "reading failed", errno: error as? Errno)
        }
    }
}
