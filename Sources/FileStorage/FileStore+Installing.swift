// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Synchronization

extension FileStore {
    /// Installs a new journal, replacing the old one. The caller holds the writer's lock.
    ///
    /// With `switchesToIt` the store switches to the new journal at once and reports no changes, because the caller
    /// knows them. Otherwise the store finds it at its next refresh, as other processes do.
    ///
    /// - Parameters:
    ///   - temporary: the new journal, complete.
    ///   - header: its header.
    ///   - keys: the keys that it is sealed under.
    ///   - cursor: the position after its last frame; `nil` if it has none.
    ///   - position: the position of the old journal when it was read; `nil` if the caller has just checked it.
    ///   - switchesToIt: see above.
    /// - Throws: ``StorageError/Code/busy`` if the old journal changed since it was read, and the errors of
    ///   ``GroupDirectory/install(_:as:confirming:)``.
    func install(
        _ temporary: TemporaryFile,
        header: JournalHeader,
        keys: JournalKeys,
        cursor: TailReader.Cursor? = nil,
        over position: JournalState.Position?,
        switchesToIt: Bool = true
    ) throws(StorageError) {
        try directory.install(temporary, as: JournalFormat.fileName) { () throws(StorageError) in
            if let position { try confirmUnchanged(since: position) }
        }
        let cursor = cursor ?? TailReader.Cursor(end: header.framesOffset, sequence: header.baseSequence)
        let note = SyncNote.make(cursor, of: header.journal, keys: keys)
        directory.revision.announce(cursor.sequence, note: note)
        // The new journal is durable, so a failure to open it now is not an error.
        guard switchesToIt, let state = try? JournalState.open(in: directory, keyChain: keyChain)?.state else { return }
        core.withLock { $0.replace(with: state) }
    }

    /// Checks that the journal is unchanged since it was read. Otherwise replacing it would lose a newer transaction,
    /// or another journal installed in its place, such as a restored backup.
    private func confirmUnchanged(since position: JournalState.Position) throws(StorageError) {
        let generation = position.generation
        let reader = TailReader(generation: generation, note: nil)
        let now = try directory.identityWithoutTime(of: JournalFormat.fileName)
        guard let now, now.isSameFile(as: generation.file.identity), now.size >= position.cursor.end,
            try generation.header.isStored(at: 0, in: generation.file),
            try position.lastFrame?.isStillThere(in: generation.file) ?? true,
            position.tornByteCount > 0 ? true : try reader.isRoom(at: position.cursor)
        else {
            let detail =
                "the journal was changed or replaced while it was being rewritten"
            throw StorageError(.busy, path: directory.path(of: JournalFormat.fileName), detail: detail)
        }
    }

    /// Quarantines what a killed writer left after the last frame, before the file is deleted.
    func keepTornTail(of position: JournalState.Position) throws(StorageError) {
        guard position.tornByteCount > 0 else { return }
        try Appender(directory: directory, position: position).keepTornTail()
    }

    /// Rewrites a journal that must not be appended to any more: after a failed sync, or because it has an older
    /// format. The caller holds the writer's lock on the newest state.
    ///
    /// - Throws: also if the new journal cannot be opened right now; the next commit tries again.
    func replaceFileIfNeeded() throws(StorageError) {
        let (position, overlay) = try withState { ($0.position, $0.overlay) }
        guard core.withLock({ $0.isPoisoned }) || position.generation.header.isOlderVersion else { return }
        try keepTornTail(of: position)
        let generation = position.generation
        let header = generation.header.next(sequence: position.cursor.sequence)
        let builder = try SnapshotBuilder(in: directory, header: header, keys: generation.keys)
        let new = try builder.finish(over: (generation, overlay)).header
        try install(builder.temporary, header: new, keys: generation.keys, over: position)
        Erasing(generation: generation, end: position.cursor.end).completeInReplaced(position.pendingErasures)
        // The store still uses the old file, and no other process would read a frame appended to it.
        guard core.withLock({ !$0.isPoisoned && !$0.state.generation.header.isOlderVersion }) else {
            let path = directory.path(of: JournalFormat.fileName)
            throw StorageError(.system, path: path, detail: "the journal was rewritten but cannot be opened")
        }
    }
}

extension FileStore.Core {
    /// Switches to another journal.
    mutating func replace(with state: JournalState) {
        self.state = state
        isPoisoned = false
    }
}
