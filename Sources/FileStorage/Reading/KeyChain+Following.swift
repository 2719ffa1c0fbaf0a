// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

extension KeyChain {
    /// Runs `body` until it returns a value. If it returns `nil`, because the journal is sealed under unknown keys,
    /// those are unlocked without holding a lock, so that only callers that need the keys wait for the user.
    func following<Result>(
        _ directory: GroupDirectory,
        until deadline: Deadline,
        _ body: () throws(StorageError) -> Result?
    ) throws(StorageError) -> Result {
        for _ in 0..<Self.largestAttemptCount {
            if let result = try body() { return result }
            try unlockJournal(in: directory, until: deadline)
        }
        throw Self.replacedRepeatedly(in: directory)
    }

    /// The number of attempts to read a journal that another process keeps replacing.
    static let largestAttemptCount = 8

    /// The error thrown when those attempts are used up.
    static func replacedRepeatedly(in directory: GroupDirectory) -> StorageError {
        let path = directory.path(of: JournalFormat.fileName)
        return StorageError(.busy, path: path, detail: "the journal was replaced repeatedly during the call")
    }

    /// Unlocks the keys of the installed journal unless they are known.
    private func unlockJournal(in directory: GroupDirectory, until deadline: Deadline) throws(StorageError) {
        try directory.withJournal(.reading) { file throws(StorageError) in
            let bytes = try file.read(at: 0, count: JournalHeader.byteCount)
            do throws(StorageError) {
                let header = try JournalHeader(decoding: bytes.rawSpan)
                _ = try keys(for: header, bytes: bytes.rawSpan, until: deadline)
            } catch {
                throw error.at(file.path)
            }
        }
    }
}
