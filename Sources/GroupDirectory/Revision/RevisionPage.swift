// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import RecordStorage
internal import Synchronization
internal import SystemPackage

/// A page of memory shared by all processes of a group, backed by the file `revision`.
///
/// It contains the word that changes with each commit, and a note of the last writer. Correctness does not depend on
/// it: if it is removed or corrupted, readers notice changes up to a quarter of a second later, when they check the
/// files themselves. The memory keeps its address as long as this object lives, whatever happens to the file.
/// Thread-safe.
///
/// The file is mapped read-only and changed with one `pwrite`: on a copy-on-write file system a store to a mapped page
/// allocates space, and on a full disk that raises a signal instead of an error. Truncating the file while it is mapped
/// kills the processes that map it, which the same user could do anyway.
@safe package final class RevisionPage: @unchecked Sendable {
    // SAFETY: the address never changes, words are loaded and stored atomically, and the rest is behind the mutex.
    private let base: UnsafeMutableRawPointer
    private let folder: FolderHandle
    private let isWritable: Bool
    private let state: Mutex<State>

    private struct State {
        /// The mapped file; `nil` if the page is private memory of this process.
        var file: CheckedFile?
    }

    /// Maps the page of the group in `folder`, creating the file if it is missing and can be created.
    ///
    /// Throws if the existing file is unsafe, unless that is to be ignored, or the process is out of memory. Otherwise
    /// falls back to private memory if the page cannot be mapped.
    init(folder: FolderHandle, isWritable: Bool, ignoresUnsafeFile: Bool) throws(StorageError) {
        self.folder = folder
        self.isWritable = isWritable
        let byteCount = RevisionLayout.pageSize
        var file: CheckedFile?
        do throws(StorageError) {
            file = try RevisionFile.open(in: folder, isWritable: isWritable)
        } catch {
            guard ignoresUnsafeFile else { throw error }
        }
        if let opened = file,
            let mapped = unsafe try? Syscalls.mapShared(opened.descriptor, byteCount: byteCount)
        {
            unsafe base = mapped
            state = Mutex(State(file: opened))
            return
        }
        // The file does not exist, or the file system does not support shared mappings.
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
        // SAFETY: the word is within the page, aligned, and stays mapped.
        unsafe RevisionWord(unsafeAddress: UnsafePointer(address(RevisionLayout.wordOffset)))
    }

    /// Whether the page is shared with other processes.
    package var isShared: Bool {
        state.withLock { $0.file != nil }
    }

    /// The newest announced transaction; 0 if none was recorded. Like all data in the page, it is only a hint.
    package var announcedSequence: UInt64 { load(RevisionLayout.announcedOffset) }

    /// The note of the last writer. Any process may have written it, and a writer that is stopped in the middle of one leaves a
    /// mix of two, which the store tells by its authentication.
    package var note: RevisionNote {
        var note = noteOnce
        // Read again, without waiting, in case another process is writing it.
        for _ in 0..<100 {
            let again = noteOnce
            if again == note { break }
            note = again
        }
        return note
    }

    /// Notifies all processes of a change by changing the word, which wakes those that watch the file.
    ///
    /// Call it once the change is durable. If the page cannot be written, as on a full disk, other processes notice the
    /// change when they check the files.
    ///
    /// - Returns: the word after this call.
    @discardableResult
    package func bump() -> UInt64 { put([]) }

    /// Notifies all processes of a transaction, and records that in the page.
    ///
    /// - Parameters:
    ///   - sequence: the transaction.
    ///   - note: replaces the current note, if given. The caller must hold the writer's lock.
    /// - Returns: the word after this call.
    @discardableResult
    package func announce(_ sequence: UInt64, note: RevisionNote? = nil) -> UInt64 {
        put([sequence] + (note.map { note in note.words.indices.map { note.words[$0] } } ?? []))
    }

    /// Announces a transaction in place of its writer, which may have been killed before announcing it or still be
    /// waiting for the disk. A transaction that one process has read must be visible to all others. Costs one load if
    /// it is already announced.
    package func announceIfNewer(_ sequence: UInt64) {
        if isWritable, announcedSequence < sequence { announce(sequence) }
    }

    /// Maps the page again if its file was removed or replaced, or could not be mapped before. Used by the periodic
    /// check. Takes one system call if the file is unchanged.
    ///
    /// - Returns: whether it was mapped again, in which case commits may have gone unnoticed.
    package func remapIfReplaced() -> Bool {
        state.withLock { remapIfReplaced(&$0) }
    }

    // MARK: - Words

    /// Changes the word and writes `words` after it, in one write.
    ///
    /// Never waits. Each change leaves a new random word, so that no change goes unnoticed.
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
                // Return it in the byte order in which readers load it.
                return value.littleEndian
            } catch {
                return word.load()
            }
        }
    }

    private var noteOnce: RevisionNote {
        RevisionNote(words: InlineArray { load(RevisionLayout.noteOffset + 8 * $0) })
    }

    private func load(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe address(offset).pointee.load(ordering: .acquiring))
    }

    /// Stores a word. Call it only if the page is private memory, because a mapped file is read-only.
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
        // If the file is unsafe, keep the current mapping until the group is opened again.
        let opened = try? RevisionFile.open(in: folder, isWritable: isWritable)
        let byteCount = RevisionLayout.pageSize
        if let opened,
            unsafe replaceMapping(with: try? Syscalls.mapShared(opened.descriptor, byteCount: byteCount))
        {
            state.file = opened
            return true
        }
        // If the file cannot be mapped, switch to private memory, or stay with it.
        guard state.file != nil, unsafe replaceMapping(with: try? Syscalls.mapPrivate(byteCount: byteCount)) else {
            return false
        }
        state.file = nil
        return true
    }

    /// Replaces the page with a new mapping, or keeps it if `mapped` is `nil` or moving it fails.
    private func replaceMapping(with mapped: UnsafeMutableRawPointer?) -> Bool {
        guard let mapped = unsafe mapped else { return false }
        do throws(Errno) {
            // SAFETY: both are our mappings of one page; no other code has the new one.
            unsafe try Syscalls.moveMapping(mapped, over: base, byteCount: RevisionLayout.pageSize)
            return true
        } catch {
            unsafe Syscalls.unmap(mapped, byteCount: RevisionLayout.pageSize)
            return false
        }
    }
}

/// A note that the writer of a store leaves in the shared page for later writers: words that only the store interprets,
/// and authenticates.
package struct RevisionNote: Equatable, Sendable {
    package var words: InlineArray<7, UInt64>

    package init(words: InlineArray<7, UInt64>) {
        self.words = words
    }

    package static func == (one: RevisionNote, two: RevisionNote) -> Bool {
        one.words.indices.allSatisfy { one.words[$0] == two.words[$0] }
    }
}
