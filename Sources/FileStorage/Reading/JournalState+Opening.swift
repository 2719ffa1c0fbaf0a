internal import GroupDirectory
internal import RecordStorage

extension JournalState {
    /// Opens the journal that stands in `directory` now, with all its frames.
    ///
    /// - Parameters:
    ///   - directory: the folder of the group.
    ///   - keyChain: has the keys.
    ///   - deadline: for unlocking keys that are not known, by a caller that holds no lock; `nil` where they are not to be
    ///     unlocked.
    /// - Returns: the state and what stands behind its last frame; `nil` where the keys are not known, or the journal was
    ///   replaced while they were unlocked.
    /// - Throws: ``StorageError/Code/notFound`` where there is no journal, what keeps it from being read, and what
    ///   unlocking throws.
    static func open(
        in directory: GroupDirectory,
        keyChain: KeyChain,
        unlockingUntil deadline: Deadline? = nil
    ) throws(StorageError) -> (state: JournalState, rest: TailReader.Rest)? {
        let mode: FileMode = directory.readOnlyReason == nil ? .readingAndWriting : .reading
        let file: CheckedFile
        do throws(StorageError) {
            file = try directory.openFile(JournalFormat.fileName, mode)
        } catch {
            guard error.code == .notFound else { throw error }
            throw StorageError(.notFound, path: error.path, detail: "there is no journal", errno: error.errno)
        }
        let generation = try Generation(file: file, keyChain: keyChain, unlockingUntil: deadline)
        guard let generation else { return nil }
        if deadline != nil {
            let now = try directory.identityWithoutTime(of: JournalFormat.fileName)
            guard now?.isSameFile(as: file.identity) == true else { return nil }
        }
        var state = JournalState(generation, seen: file.identity.withoutTime)
        let rest = try state.readFrames(in: directory).rest
        return (state, rest)
    }

    /// Reads all frames of a file that was just opened.
    private mutating func readFrames(in directory: GroupDirectory) throws(StorageError) -> TailReader.Result {
        let reader = TailReader(
            generation: generation,
            syncedByteCount: SyncedLength.noted(of: generation, in: directory)
        )
        seen = try generation.file.currentStatus().identity
        let result = try reader.read(from: cursor, fileByteCount: seen.size) { frame in
            _ = apply(frame, noting: false)
        }
        let lastFrame = try LastFrame(result, of: generation)
        finish(result, lastFrame)
        guard try lastFrame?.isStillThere(in: generation.file) ?? true else {
            let detail = "a transaction was taken back while it was read"
            var changed = result
            changed.rest = .damaged(StorageError(.damaged, path: generation.file.path, detail: detail))
            return changed
        }
        return result
    }
}
