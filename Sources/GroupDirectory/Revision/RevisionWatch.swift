package import RecordStorage
internal import Synchronization
internal import SystemPackage

/// Sleeps until somebody commits: whoever bumps the page writes one byte of its file, which wakes all who watch the folder.
///
/// The folder is watched and not the file, so that a page that was removed or replaced wakes as well. Where a journal was
/// written and no page, as when a writer is killed between the two, it wakes a quarter of a second later. Without
/// inotify (128 instances per user, as a rule) and without a page that others see it returns every 250 ms.
package final class RevisionWatch: ChangeWatch {
    private let inotify: FileDescriptor?
    private let stopped: FileDescriptor?
    private let isStopped = Atomic<Bool>(false)
    private let page: RevisionPage
    private let location: FolderLocation
    /// Whether something was written that the page has not told yet. Touched by the one who waits.
    private let isSuspicious = Atomic<Bool>(false)

    private static let interval: Int32 = 250
    private static let silentNames: Set<String> = [GroupDirectory.FileName.lock, GroupDirectory.FileName.leases]

    init(folder: FolderHandle, page: RevisionPage, location: FolderLocation) {
        self.page = page
        self.location = location
        stopped = try? Syscalls.makeCounter()
        inotify = try? Syscalls.watchFolder(folder.descriptor, path: folder.path.string)
    }

    deinit {
        if let inotify { Syscalls.close(inotify) }
        if let stopped { Syscalls.close(stopped) }
    }

    package var isPeriodic: Bool { inotify == nil || stopped == nil || !page.isShared }

    package func wait() -> Bool {
        guard let stopped else {
            Syscalls.sleep(nanoseconds: Int64(Self.interval) * 1_000_000)
            return !isStopped.load(ordering: .acquiring)
        }
        while !isStopped.load(ordering: .acquiring) {
            let mayTime = isPeriodic || isSuspicious.load(ordering: .relaxed)
            let ready = Syscalls.wait(for: inotify, or: stopped, milliseconds: mayTime ? Self.interval : -1)
            if ready.second { break }
            if let inotify, ready.first {
                if isTelling(Syscalls.readEvents(inotify)) { return true }
            } else if mayTime {
                isSuspicious.store(false, ordering: .relaxed)
                return true
            }
        }
        return false
    }

    package func stop() {
        isStopped.store(true, ordering: .releasing)
        if let stopped { Syscalls.raise(stopped) }
    }

    /// Whether the events say that something was committed.
    private func isTelling(_ names: [String?]) -> Bool {
        // About the folder itself: whoever reads next is told that it was moved.
        if names.contains("") { try? location.check() }
        if names.contains(nil) || names.contains(GroupDirectory.FileName.revision) || names.contains("") { return true }
        let isQuiet = names.allSatisfy { Self.silentNames.contains($0 ?? "") }
        if !isQuiet { isSuspicious.store(true, ordering: .relaxed) }
        return false
    }
}

extension GroupDirectory {
    /// Something to wait with for commits of any process.
    package func watchChanges() -> any ChangeWatch {
        RevisionWatch(folder: folder, page: revision, location: location)
    }
}
