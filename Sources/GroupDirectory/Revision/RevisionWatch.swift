// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import Synchronization
internal import SystemPackage

/// Sleeps until a process commits. Announcing a commit writes to the file of the page, which wakes all processes that
/// watch the folder.
///
/// It watches the folder rather than the file, so that removing or replacing the page also wakes it. If a writer wrote
/// the journal but not the page, as when it is killed in between, the watch wakes 250 ms later. Without inotify
/// (usually 128 instances per user) or a shared page, it returns every 250 ms.
package final class RevisionWatch: ChangeWatch {
    private let inotify: FileDescriptor?
    private let stopped: FileDescriptor?
    private let isStopped = Atomic<Bool>(false)
    private let page: RevisionPage
    private let location: FolderLocation
    /// Whether it saw a write that the page has not announced yet. Used only by the waiting thread.
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
                if concernsGroup(Syscalls.readEvents(inotify)) { return true }
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

    /// Whether the events indicate a commit.
    private func concernsGroup(_ names: [String?]) -> Bool {
        // On an event for the folder itself, check its path, so that the next read reports a move.
        if names.contains("") { try? location.check() }
        if names.contains(nil) || names.contains(GroupDirectory.FileName.revision) || names.contains("") { return true }
        let isQuiet = names.allSatisfy { Self.silentNames.contains($0 ?? "") }
        if !isQuiet { isSuspicious.store(true, ordering: .relaxed) }
        return false
    }
}

extension GroupDirectory {
    /// A watch that waits for commits of any process.
    package func watchChanges() -> any ChangeWatch {
        RevisionWatch(folder: folder, page: revision, location: location)
    }
}
