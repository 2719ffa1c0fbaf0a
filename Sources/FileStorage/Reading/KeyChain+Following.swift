internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

extension KeyChain {
    /// Runs `body` until it gives something. It gives `nil` where the journal is sealed under keys that are not known:
    /// those are unlocked in between, when no lock is held, so that nobody waits for a person but who wants the keys.
    func following<Result>(
        _ directory: GroupDirectory,
        until deadline: Deadline,
        _ body: () throws(StorageError) -> Result?
    ) throws(StorageError) -> Result {
        for _ in 0..<Self.largestAttemptCount {
            if let result = try body() { return result }
            try unlockJournal(in: directory, until: deadline)
        }
        throw Self.restless(directory)
    }

    /// How often another process may put something else in the place of what is being looked at.
    static let largestAttemptCount = 8

    /// What is thrown when it does so more often.
    static func restless(_ directory: GroupDirectory) -> StorageError {
        let path = directory.path(of: JournalFormat.fileName)
        return StorageError(.busy, path: path, detail: "the journal was replaced again and again")
    }

    /// Sees to it that the keys of the journal that bears the name now are known.
    private func unlockJournal(in directory: GroupDirectory, until deadline: Deadline) throws(StorageError) {
        let file = try directory.openFile(JournalFormat.fileName, .reading)
        let bytes = try file.read(at: 0, count: JournalHeader.byteCount)
        do throws(StorageError) {
            let header = try JournalHeader(decoding: bytes.rawSpan)
            _ = try keys(for: header, bytes: bytes.rawSpan, until: deadline)
        } catch {
            throw error.at(file.path)
        }
    }
}
