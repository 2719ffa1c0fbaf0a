internal import GroupDirectory
internal import RecordStorage
internal import Synchronization

extension FileStore {
    /// Puts a new journal in the place of the old one. The caller holds the writer's lock.
    ///
    /// With `goesOnWithIt` the store reads from it at once, and tells nobody: whoever replaced the file knows. Otherwise
    /// the store finds it at its next refresh, like everybody else.
    ///
    /// - Parameters:
    ///   - temporary: the new journal, complete.
    ///   - header: its header.
    ///   - keys: that it is sealed under.
    ///   - cursor: behind its last frame; `nil` where it has none.
    ///   - position: of the old one when it was read; `nil` where the caller has looked at it just now.
    ///   - goesOnWithIt: see above.
    /// - Throws: ``StorageError/Code/busy`` where the old one is not as it was read any more, and as
    ///   ``GroupDirectory/install(_:as:confirming:)``.
    func install(
        _ temporary: TemporaryFile,
        header: JournalHeader,
        keys: JournalKeys,
        cursor: TailReader.Cursor? = nil,
        over position: JournalState.Position?,
        goesOnWithIt: Bool = true
    ) throws(StorageError) {
        try directory.install(temporary, as: JournalFormat.fileName) { () throws(StorageError) in
            if let position { try confirmUnchanged(since: position) }
        }
        let cursor = cursor ?? TailReader.Cursor(end: header.framesOffset, sequence: header.baseSequence)
        let note = SyncedLength.note(cursor.end, of: header.journal, keys: keys)
        directory.revision.tell(cursor.sequence, note: note)
        // It is durable, and whether it can be opened just now changes nothing about that.
        guard goesOnWithIt, let state = try? JournalState.open(in: directory, keyChain: keyChain)?.state else { return }
        core.withLock { $0.replace(with: state) }
    }

    /// Makes sure that the journal is as it was read: another one in its place, as a backup that was put back, or a transaction
    /// behind the last one would be lost with it.
    private func confirmUnchanged(since position: JournalState.Position) throws(StorageError) {
        let generation = position.generation
        let reader = TailReader(generation: generation, syncedByteCount: nil)
        let now = try directory.identityWithoutTime(of: JournalFormat.fileName)
        guard let now, now.isSameFile(as: generation.file.identity), now.size >= position.cursor.end,
            try generation.header.stands(at: 0, in: generation.file),
            try position.lastFrame?.isStillThere(in: generation.file) ?? true,
            position.tornByteCount > 0 ? true : try !reader.isWritten(at: position.cursor.end)
        else {
            let detail = "the journal was changed or replaced while it was written anew; nothing was changed; try again"
            throw StorageError(.busy, path: directory.path(of: JournalFormat.fileName), detail: detail)
        }
    }

    /// Sets aside what a killed writer left behind the last frame, before the file goes.
    func keepTornTail(of position: JournalState.Position) throws(StorageError) {
        guard position.tornByteCount > 0 else { return }
        try Appender(directory: directory, position: position).keepTornTail()
    }

    /// Writes the journal anew after a sync of the old file failed: nothing more is appended to that. The caller holds
    /// the writer's lock, and the state is the newest.
    ///
    /// - Throws: also where the new journal cannot be opened just now; the next commit tries again.
    func replaceFileIfPoisoned() throws(StorageError) {
        guard core.withLock({ $0.isPoisoned }) else { return }
        let (position, overlay) = try withState { ($0.position, $0.overlay) }
        let generation = position.generation
        let header = generation.header.next(sequence: position.cursor.sequence)
        let builder = try SnapshotBuilder(in: directory, header: header, keys: generation.keys)
        let new = try builder.finish(over: (generation, overlay)).header
        try install(builder.temporary, header: new, keys: generation.keys, over: position)
        Erasing(generation: generation, end: position.cursor.end).completeInReplaced(position.pendingErasures)
        // What is appended to the old file now nobody would ever read.
        guard core.withLock({ !$0.isPoisoned }) else {
            let path = directory.path(of: JournalFormat.fileName)
            throw StorageError(.system, path: path, detail: "the journal was written anew and cannot be opened now")
        }
    }
}

extension FileStore.Core {
    /// Goes on with another journal.
    mutating func replace(with state: JournalState) {
        self.state = state
        isPoisoned = false
    }
}

extension JournalHeader {
    /// The header of a journal that takes the place of this one; its places are not set yet.
    func next(sequence: UInt64) -> JournalHeader {
        var header = self
        header.baseSequence = sequence
        header.minor = max(minor, JournalFormat.minor)
        return header
    }
}
