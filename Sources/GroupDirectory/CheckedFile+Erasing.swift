// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
internal import SystemPackage

/// Erasing overwrites in place and waits for the disk. Blocks that are released before the zeros are on the disk keep
/// their content there, so nothing is deallocated, truncated or unlinked until then.
extension CheckedFile {
    /// Overwrites a range with zeros, from its start. Call ``syncErased()`` afterwards.
    ///
    /// - Throws: ``StorageError/Code/full`` on a file system that needs space for it.
    package func overwrite(_ range: Range<UInt64>) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: min(range.count, 1 << 20))
        try describing("overwriting the file", path: path) { () throws(Errno) in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let count = Int(min(UInt64(zeros.count), range.upperBound - offset))
                try Syscalls.write(descriptor, at: offset, zeros.rawSpan.extracting(0..<count))
                offset += UInt64(count)
            }
        }
    }

    /// Waits until everything overwritten is on the disk.
    ///
    /// - Throws: ``StorageError/Code/indeterminate``.
    package func syncErased() throws(StorageError) {
        do throws(Errno) {
            try Syscalls.syncData(descriptor)
        } catch {
            let detail = "it is unknown whether erased secrets are gone from the disk"
            throw StorageError(.indeterminate, path: path, detail: detail, errno: error)
        }
    }

    /// Durably overwrites the whole file. Holes stay holes, because a sparse file of another program may be as long as it
    /// likes.
    package func erase() throws(StorageError) {
        let end = try currentStatus().identity.size
        var position: UInt64 = 0
        while let data = try data(from: position, to: end) {
            try overwrite(data)
            position = data.upperBound
        }
        try syncErased()
    }
}

extension FolderHandle {
    /// Overwrites the content of a file durably, then removes the file. A missing file is not an error.
    ///
    /// If overwriting fails, the file is removed all the same. What is not a file of this user with a single name is
    /// only removed, because its content may be somebody else's.
    func eraseFile(_ name: String) throws(StorageError) {
        if let file = try? openFile(name, .readingAndWriting) { try? file.erase() }
        try removeFile(name)
    }
}
