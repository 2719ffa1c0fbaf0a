internal import Glibc
package import RecordStorage
internal import Synchronization
internal import SystemPackage

/// A page of memory shared by all processes of a group, backed by the file `revision`.
///
/// It holds the word that changes with each commit, and a note of whoever committed last. Nothing rests on it: whoever
/// removes or spoils it costs readers a quarter of a second, until they look at the files themselves. The memory keeps
/// its address as long as this object lives, whatever happens to the file. Safe from any thread.
///
/// The file is mapped for reading only and changed with one `pwrite`: on a copy-on-write file system a store to a mapped
/// page takes room, and where the disk is full that is a signal and no error. Shortening the file while it is mapped
/// ends the processes that map it, as any kill by the same user would.
@safe package final class RevisionPage: @unchecked Sendable {
    // SAFETY: the address never changes, words are loaded and stored atomically, and the rest is behind the mutex.
    private let base: UnsafeMutableRawPointer
    private let folder: FolderHandle
    private let isWritable: Bool
    private let state: Mutex<State>

    private struct State {
        /// The file that is mapped now; `nil` where the page is memory of this process alone.
        var file: CheckedFile?
    }

    /// Maps the page of the group in `folder`, creating the file where it is missing and can be created.
    ///
    /// Throws where something unsafe stands in its place, and where the process has no memory left. A page that
    /// cannot be mapped is no error.
    init(folder: FolderHandle, isWritable: Bool) throws(StorageError) {
        self.folder = folder
        self.isWritable = isWritable
        let byteCount = RevisionLayout.pageSize
        if let opened = try RevisionFile.open(in: folder, isWritable: isWritable),
            let mapped = unsafe try? Syscalls.mapShared(opened.descriptor, byteCount: byteCount)
        {
            unsafe base = mapped
            state = Mutex(State(file: opened))
            return
        }
        // There is no file, or the file system cannot share memory.
        do throws(Errno) {
            unsafe base = try Syscalls.mapPrivate(byteCount: byteCount)
        } catch {
            throw StorageError(error, path: folder.path(of: GroupDirectory.FileName.revision), doing: "mapping memory")
        }
        state = Mutex(State())
    }

    deinit {
        unsafe Syscalls.unmap(base, byteCount: RevisionLayout.pageSize)
    }

    /// The word that changes with each commit of any process. Valid as long as this object lives.
    package var word: RevisionWord {
        // SAFETY: the word lies within the page, is aligned and stays mapped.
        unsafe RevisionWord(unsafeAddress: UnsafePointer(address(RevisionLayout.wordOffset)))
    }

    /// Whether other processes see what is done to the page, and it shows what they do.
    package var isShared: Bool {
        state.withLock { $0.file != nil }
    }

    /// The newest transaction that everybody was told of; 0 where nobody said. Like all of the page a hint.
    package var toldSequence: UInt64 { load(RevisionLayout.toldOffset) }

    /// The note of whoever committed last. It may be anybody's.
    package var note: RevisionNote {
        var note = noteOnce
        // Somebody may be writing it: then it is looked at again, but nobody is waited for.
        for _ in 0..<100 {
            let again = noteOnce
            if again == note { break }
            note = again
        }
        return note
    }

    /// Tells all processes that something happened: changes the word, which wakes those who watch the file.
    ///
    /// Call it after what happened is durable. Where the page cannot be written, as on a full disk, the others find out
    /// when they look at the files.
    ///
    /// - Returns: the word as this call left it.
    @discardableResult
    package func bump() -> UInt64 { put([]) }

    /// Tells all processes of a transaction, and leaves a note that they were told.
    ///
    /// - Parameters:
    ///   - sequence: of the transaction.
    ///   - note: takes the place of the one that is there. The caller holds the writer's lock then.
    /// - Returns: the word as this call left it.
    @discardableResult
    package func tell(_ sequence: UInt64, note: RevisionNote? = nil) -> UInt64 {
        put([sequence] + (note.map { [$0.number, $0.hashFirst, $0.hashSecond] } ?? []))
    }

    /// Tells all processes of a transaction that its writer has not told of: it was killed before it could, or waits for
    /// the disk. What one process has read, every other one has to find from then on. One load where it was told.
    package func tellIfUntold(_ sequence: UInt64) {
        if isWritable, toldSequence < sequence { tell(sequence) }
    }

    /// Maps the page anew where its file was removed or replaced, or could not be mapped before. One system call
    /// where nothing happened. Meant for the backstop check.
    ///
    /// - Returns: whether it was mapped anew: commits may have gone unnoticed.
    package func remapIfReplaced() -> Bool {
        state.withLock { remapIfReplaced(&$0) }
    }

    // MARK: - Words

    /// Changes the word and puts `words` behind it, in one write.
    ///
    /// Nobody is waited for, and no two changes can be taken for one: each leaves a word that was never there before.
    private func put(_ words: [UInt64]) -> UInt64 {
        state.withLock { state in
            guard isWritable else { return word.load() }
            remapIfReplaced(&state)
            let value = Syscalls.random()
            let words = [value] + words
            guard let file = state.file else {
                for (index, word) in words.enumerated() { store(word, RevisionLayout.wordOffset + index * 8) }
                return word.load()
            }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(words.count * 8)
            for word in words {
                for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (index * 8))) }
            }
            do throws(Errno) {
                try Syscalls.write(file.descriptor, at: UInt64(RevisionLayout.wordOffset), bytes)
                // As it is loaded.
                return value.littleEndian
            } catch {
                return word.load()
            }
        }
    }

    private var noteOnce: RevisionNote {
        let offset = RevisionLayout.noteOffset
        return RevisionNote(number: load(offset), hash: (load(offset + 8), load(offset + 16)))
    }

    private func load(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe address(offset).pointee.load(ordering: .acquiring))
    }

    /// Only where the page is memory of this process alone, which can be written.
    private func store(_ word: UInt64, _ offset: Int) {
        unsafe address(offset).pointee.store(word.littleEndian, ordering: .releasing)
    }

    private func address(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        // SAFETY: callers pass a multiple of 8 within the page, which stays mapped.
        unsafe (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    // MARK: - Mapping

    @discardableResult
    private func remapIfReplaced(_ state: inout State) -> Bool {
        let status = try? Syscalls.statusWithoutTimes(of: GroupDirectory.FileName.revision, in: folder.descriptor)
        if let file = state.file, let status, status.identity.isSameFile(as: file.identity),
            status.identity.size >= UInt64(RevisionLayout.pageSize)
        {
            return false
        }
        if state.file == nil, status == nil, !isWritable { return false }
        // What is unsafe is not touched: then the page stays private until the group is opened again.
        let opened = try? RevisionFile.open(in: folder, isWritable: isWritable)
        let byteCount = RevisionLayout.pageSize
        if let opened,
            unsafe replaceMapping(with: try? Syscalls.mapShared(opened.descriptor, byteCount: byteCount))
        {
            state.file = opened
            return true
        }
        // Some file systems cannot share memory. A page of this process alone stays as it is.
        guard state.file != nil, unsafe replaceMapping(with: try? Syscalls.mapPrivate(byteCount: byteCount)) else {
            return false
        }
        state.file = nil
        return true
    }

    /// Puts a mapping that was just made, if it was, in the place of the page. Otherwise that stays mapped.
    private func replaceMapping(with mapped: UnsafeMutableRawPointer?) -> Bool {
        guard let mapped = unsafe mapped else { return false }
        do throws(Errno) {
            // SAFETY: both are ours and as long as a page; nobody else knows the new one.
            unsafe try Syscalls.moveMapping(mapped, over: base, byteCount: RevisionLayout.pageSize)
            return true
        } catch {
            unsafe Syscalls.unmap(mapped, byteCount: RevisionLayout.pageSize)
            return false
        }
    }
}
