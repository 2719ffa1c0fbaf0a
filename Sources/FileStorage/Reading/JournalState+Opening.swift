// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage

extension JournalState {
    /// Opens the journal that is currently in `directory`, with all its frames.
    ///
    /// - Parameters:
    ///   - directory: the folder of the group.
    ///   - keyChain: provides the keys.
    ///   - deadline: for unlocking unknown keys, by a caller that holds no lock; `nil` if they must not be unlocked.
    /// - Returns: the state and what follows its last frame; `nil` if the keys are not known, or the journal was
    ///   replaced while they were unlocked.
    /// - Throws: ``StorageError/Code/notFound`` if the folder has no journal, errors that prevent reading it, and
    ///   errors of unlocking.
    static func open(
        in directory: GroupDirectory,
        keyChain: KeyChain,
        unlockingUntil deadline: Deadline? = nil
    ) throws(StorageError) -> (state: JournalState, rest: TailReader.Rest)? {
        let mode: FileMode = directory.readOnlyReason == nil ? .readingAndWriting : .reading
        let generation = try directory.withJournal(mode) { file throws(StorageError) in
            try Generation(file: file, keyChain: keyChain, unlockingUntil: deadline)
        }
        guard let generation else { return nil }
        let file = generation.file
        if deadline != nil, try !file.isNamed(in: directory) { return nil }
        var state = JournalState(generation, seen: file.identity.withoutTime)
        let rest = try state.readFrames(in: directory).rest
        return (state, rest)
    }

    /// Reads all frames of a newly opened file.
    private mutating func readFrames(in directory: GroupDirectory) throws(StorageError) -> TailReader.Result {
        note = SyncNote(of: generation, in: directory)
        let reader = TailReader(generation: generation, note: note)
        seen = try generation.file.currentStatus().identity
        let result = try reader.read(from: cursor, fileByteCount: seen.size) { frame in
            _ = apply(frame, noting: false)
        }
        let lastFrame = result.last.map { LastFrame($0) }
        finish(result, lastFrame)
        guard try lastFrame?.isStillThere(in: generation.file) ?? true else {
            let detail = "a transaction was rolled back while it was being read"
            var changed = result
            changed.rest = .unusable(StorageError(.damaged, path: generation.file.path, detail: detail))
            return changed
        }
        return result
    }
}
