// SPDX-License-Identifier: Apache-2.0

// SAFETY: the buffer is used only within the closure that receives it.

internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
internal import TokenCaching

/// Writes a document to a pipe, a terminal, or any other descriptor of the caller.
final class DescriptorSink: ByteSink {
    private let file: FileDescriptor
    private let isOwned: Bool
    private var hasWritten = false
    /// The end of a regular file before the document was appended; nil for anything else.
    private let end: UInt64?

    init(_ descriptor: Int32, isOwned: Bool = false) {
        file = FileDescriptor(rawValue: descriptor)
        self.isOwned = isOwned
        let status = try? Syscalls.status(file)
        let start = try? file.seek(offset: 0, from: .current)
        if let status, status.isRegularFile, let start, UInt64(max(0, start)) == status.identity.size {
            end = status.identity.size
        } else {
            end = nil
        }
    }

    deinit {
        if isOwned { try? file.close() }
    }

    func write(_ bytes: RawSpan) throws(StorageError) {
        hasWritten = true
        let result: Result<Int, any Error> = unsafe bytes.withUnsafeBytes { bytes in
            Result { unsafe try file.writeAll(bytes) }
        }
        if case .failure(let error) = result {
            let errno = error as? Errno
            throw StorageError(
                errno == .noSpace ? .full : .system,
                detail: "writing the document failed",
                errno: errno
            )
        }
    }

    func finish() {}

    func restart() -> Bool {
        guard hasWritten else { return true }
        guard let end, (try? Syscalls.truncate(file, to: end)) != nil else { return false }
        return (try? file.seek(offset: Int64(end), from: .start)) != nil
    }
}
