internal import Glibc
package import RecordStorage
internal import Synchronization
internal import SystemPackage

/// A page of memory shared by all processes of a group, backed by the file `revision`.
///
/// It holds the word that changes with each commit and a note on what was durable. It is a hint and nothing rests on
/// it: whoever removes or spoils it costs readers a quarter of a second, until they look at the files themselves.
/// The memory keeps its address as long as this object lives, whatever happens to the file. Safe from any thread.
///
/// Shortening the file while it is mapped ends the processes that map it, as any kill by the same user would.
@safe package final class RevisionPage: @unchecked Sendable {
    // SAFETY: the address never changes, the memory is accessed atomically, and the rest is behind the mutex.
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
            let mapped = unsafe try? Syscalls.mapShared(opened.descriptor, byteCount: byteCount, isWritable: isWritable)
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
        unsafe RevisionWord(unsafeAddress: UnsafePointer(wordAddress))
    }

    /// Whether other processes see what is done to the page, and it shows what they do.
    package var isShared: Bool {
        state.withLock { $0.file != nil }
    }

    /// Tells all processes that something was committed: changes the word, then writes one byte of the file, which
    /// wakes those who watch it. Call it after the commit is durable. Three system calls.
    ///
    /// - Returns: the word as this call left it.
    @discardableResult
    package func bump() -> UInt64 {
        state.withLock { state in
            if isWritable { remapIfReplaced(&state) }
            guard isWritable else { return word.load() }
            // SAFETY: the mapping is writable where isWritable is.
            let value = unsafe wordAddress.pointee.add(1, ordering: .acquiringAndReleasing).newValue
            if let file = state.file {
                try? Syscalls.write(file.descriptor, at: UInt64(RevisionLayout.wakeOffset), [UInt8(value & 0xFF)])
            }
            return value
        }
    }

    /// The newest transaction that everybody was told of; 0 where nobody said. Like all of the page a hint.
    package var toldSequence: UInt64 {
        // SAFETY: the number lies within the page, which stays mapped.
        unsafe toldAddress.pointee.load(ordering: .acquiring)
    }

    /// Tells all processes of a transaction, and leaves a note that they were told.
    ///
    /// - Returns: the word as this call left it.
    @discardableResult
    package func tell(_ sequence: UInt64) -> UInt64 {
        let word = bump()
        guard isWritable else { return word }
        // SAFETY: the mapping is writable where isWritable is.
        unsafe toldAddress.pointee.store(sequence, ordering: .releasing)
        return word
    }

    /// Tells all processes of a transaction that its writer has not told of: it was killed before it could, or waits for
    /// the disk. What one process has read, every other one has to find from then on. One load where it was told.
    package func tellIfUntold(_ sequence: UInt64) {
        var told = toldSequence
        guard isWritable, told < sequence else { return }
        bump()
        // SAFETY: the mapping is writable where isWritable is.
        while told < sequence {
            let result = unsafe toldAddress.pointee.compareExchange(
                expected: told,
                desired: sequence,
                ordering: .acquiringAndReleasing
            )
            if result.exchanged { return }
            told = result.original
        }
    }

    /// Maps the page anew where its file was removed or replaced, or could not be mapped before. One system call
    /// where nothing happened. Meant for the backstop check.
    ///
    /// - Returns: whether it was mapped anew: commits may have gone unnoticed.
    package func remapIfReplaced() -> Bool {
        state.withLock { remapIfReplaced(&$0) }
    }

    /// The note on what was durable, where there is one, whatever it is worth.
    package var syncedLength: SyncedLength? {
        // SAFETY: the notes lie within the page, which stays mapped.
        state.withLock { _ in unsafe SyncedLengthNotes(base: base).read() }
    }

    /// Leaves a note on what is durable. The caller holds the writer's lock.
    package func setSyncedLength(_ note: SyncedLength) {
        guard isWritable else { return }
        // SAFETY: the notes lie within the page, which stays mapped; it is writable where isWritable is.
        state.withLock { _ in unsafe SyncedLengthNotes(base: base).write(note) }
    }

    private var wordAddress: UnsafeMutablePointer<Atomic<UInt64>> {
        // SAFETY: the word lies within the page and is aligned.
        unsafe (base + RevisionLayout.wordOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private var toldAddress: UnsafeMutablePointer<Atomic<UInt64>> {
        // SAFETY: the number lies within the page and is aligned.
        unsafe (base + RevisionLayout.toldOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

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
        return map(opened, &state)
    }

    /// - Returns: whether other memory is mapped now.
    private func map(_ opened: CheckedFile?, _ state: inout State) -> Bool {
        let hadFile = state.file != nil
        guard opened != nil || hadFile else { return false }
        // What a page of this process alone holds is to stay. That of a file is not read: it may have been cut.
        var oldWord: UInt64 = 0
        var oldNote: SyncedLength?
        if !hadFile {
            oldWord = word.load()
            // SAFETY: the notes lie within the page, which is mapped.
            oldNote = unsafe SyncedLengthNotes(base: base).read()
        }
        if let opened {
            do throws(Errno) {
                // SAFETY: base is ours and as long as a page; the new mapping takes its place in one step.
                unsafe try Syscalls.mapShared(
                    opened.descriptor,
                    over: base,
                    byteCount: RevisionLayout.pageSize,
                    isWritable: isWritable
                )
                state.file = opened
                return true
            } catch {
                // Some file systems cannot share memory: the page stays private. Nothing may be mapped there now.
            }
        }
        // SAFETY: as above.
        let mapped: Void? = unsafe try? Syscalls.mapPrivate(over: base, byteCount: RevisionLayout.pageSize)
        guard mapped != nil else { return false }
        if hadFile {
            state.file = nil
            return true
        }
        // SAFETY: a page of this process alone can be written, and word and notes lie within it.
        unsafe wordAddress.pointee.store(oldWord, ordering: .releasing)
        if let oldNote { unsafe SyncedLengthNotes(base: base).write(oldNote) }
        return false
    }
}
