// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage

extension GroupDirectory {
    /// Opens the installed journal and passes it to `body`, which reads its header.
    ///
    /// Whoever replaces a journal overwrites the header of the old one. So if `body` fails and the file was replaced in
    /// the meantime, `body` is called again with the new one.
    ///
    /// - Throws: ``StorageError/Code/notFound`` if there is no journal, other errors of opening it, the errors of `body`,
    ///   and ``StorageError/Code/busy`` if the journal is replaced during every attempt.
    func withJournal<Result>(
        _ mode: FileMode,
        _ body: (CheckedFile) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        for _ in 0..<KeyChain.largestAttemptCount {
            let file: CheckedFile
            do throws(StorageError) {
                file = try openFile(JournalFormat.fileName, mode)
            } catch {
                guard error.code == .notFound else { throw error }
                throw StorageError(.notFound, path: error.path, detail: "there is no journal", errno: error.errno)
            }
            do throws(StorageError) {
                return try body(file)
            } catch {
                if try file.isNamed(in: self) { throw error }
            }
        }
        throw KeyChain.replacedRepeatedly(in: self)
    }
}

extension CheckedFile {
    /// Whether this file is the installed journal of a group.
    func isNamed(in directory: GroupDirectory) throws(StorageError) -> Bool {
        try directory.identityWithoutTime(of: JournalFormat.fileName)?.isSameFile(as: identity) ?? false
    }
}
