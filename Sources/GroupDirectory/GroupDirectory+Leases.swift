// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import Synchronization
internal import SystemPackage

extension GroupDirectory {
    /// Takes a lease as ``tryLease(_:)`` does, but only if the group is kept in this kind of store. A token obtained
    /// under a lease must be stored, so a migration holds all leases for token requests until the group is in its new
    /// store.
    ///
    /// - Throws: the errors of ``tryLease(_:)`` and ``confirm(_:)``.
    package func tryLease(_ number: UInt64, in storage: StorageKind) throws(StorageError) -> (any StoreLease)? {
        guard let lease = try tryLease(number) else { return nil }
        do throws(StorageError) {
            try location.check()
            try confirm(storage)
            return lease
        } catch {
            lease.release()
            throw error
        }
    }

    /// Takes the lease of this number if it is free: an open file description lock on that byte of the file `leases`.
    ///
    /// Makes a few system calls and never waits. If the file is removed and recreated, only leases in the new file
    /// count.
    ///
    /// - Parameter number: below ``LeaseNumber/end``.
    /// - Returns: `nil` if another thread or process holds it.
    /// - Throws: ``StorageError/Code/readOnly``, ``StorageError/Code/unsafeFile``,
    ///   ``StorageError/Code/unsafePermissions``.
    package func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        precondition(number < LeaseNumber.end, "no such lease")
        if let readOnlyReason { throw readOnlyReason }
        let key = LeaseTable.Key(device: identity.device, inode: identity.inode, number: number)
        guard let generation = LeaseTable.shared.enter(key) else { return nil }
        do throws(StorageError) {
            if let slot = try lockLeases(from: Int64(number), count: 1) {
                return DirectoryLease(from: Int64(number), count: 1, slot, key)
            }
        } catch {
            LeaseTable.shared.leave(key, generation: generation)
            throw error
        }
        LeaseTable.shared.leave(key, generation: generation)
        return nil
    }

    /// The limit of the reported count, since a process that can open the file may lock any number of its bytes.
    package static let largestLeaseCount = 1_000

    /// The number of leases for token requests, below ``LeaseNumber/firstOfInteractions``, that any process holds now.
    /// A process locks one byte for each lease, but a locked range of any length counts once. 0 only if no lease is
    /// held.
    ///
    /// - Parameter deadline: leases not found by then are not counted.
    /// - Returns: at most ``largestLeaseCount``.
    /// - Throws: ``StorageError/Code/unsafeFile``, ``StorageError/Code/unsafePermissions``.
    package func heldLeaseCount(until deadline: Deadline) throws(StorageError) -> Int {
        var count = 0
        // Not leases of questions to the user, whose answers may take any time.
        try forEachLockedRange(in: 0..<Int64(LeaseNumber.firstOfInteractions)) { _ in
            count += 1
            return count < Self.largestLeaseCount && !deadline.hasPassed
        }
        return count
    }

    /// Whether another process holds a lease of a question to the user.
    ///
    /// - Throws: as ``heldLeaseCount(until:)``.
    package func isAskedElsewhere() throws(StorageError) -> Bool {
        var isAsked = false
        try forEachLockedRange(in: Int64(LeaseNumber.firstOfInteractions)..<Int64.max) { range in
            let number = UInt64(range.lowerBound)
            let key = LeaseTable.Key(device: identity.device, inode: identity.inode, number: number)
            isAsked = range.count > 1 || !LeaseTable.shared.contains(key)
            return !isAsked
        }
        return isAsked
    }

    /// Passes the locked ranges of the file `leases` to `body`, in any order, until it returns false.
    private func forEachLockedRange(
        in all: Range<Int64>,
        _ body: (Range<Int64>) -> Bool
    ) throws(StorageError) {
        let file: CheckedFile
        do throws(StorageError) {
            file = try openFile(FileName.leases, .reading)
        } catch {
            if error.code == .notFound { return }
            throw error
        }
        try describing("checking for locks", path: path(of: FileName.leases)) { () throws(Errno) in
            var unsearched = [all]
            while let range = unsearched.popLast() {
                guard let found = try Syscalls.lockedRange(of: file.descriptor, in: range), found.overlaps(range) else {
                    continue
                }
                guard body(found) else { return }
                // Search on both sides, because the kernel may report any of several locks first.
                if range.lowerBound < found.lowerBound { unsearched.append(range.lowerBound..<found.lowerBound) }
                if found.upperBound < range.upperBound { unsearched.append(found.upperBound..<range.upperBound) }
            }
        }
    }

    /// Takes all leases for token requests at once, if none is held, so that no process begins one.
    ///
    /// - Returns: `nil` if any is held.
    /// - Throws: the errors of ``tryLease(_:)``.
    package func tryAllLeases() throws(StorageError) -> (any StoreLease)? {
        if let readOnlyReason { throw readOnlyReason }
        let count = Int64(LeaseNumber.firstOfInteractions)
        return try lockLeases(from: 0, count: count).map { DirectoryLease(from: 0, count: count, $0) }
    }

    private func lockLeases(from byte: Int64, count: Int64) throws(StorageError) -> ForkGuard.Slot? {
        let file = LockFile(folder: folder, name: FileName.leases, isWritable: true)
        for _ in 0..<8 {
            guard let opened = try file.open() else { return nil }
            let slot = opened.slot
            do throws(StorageError) {
                do throws(Errno) {
                    try Syscalls.lock(opened.file, byte: byte, count: count, exclusive: true)
                } catch {
                    ForkGuard.shared.discard(slot) { _ in }
                    if error == .resourceTemporarilyUnavailable { return nil }
                    throw StorageError(error, path: file.path, doing: "taking a lease")
                }
                if try file.isStillNamed(opened) { return slot }
            } catch {
                ForkGuard.shared.discard(slot) { _ in }
                throw error
            }
            ForkGuard.shared.discard(slot) { _ in }
        }
        throw StorageError(.busy, path: file.path, detail: "the lease file is being replaced repeatedly")
    }
}

/// A lease of the group, or several: locked bytes of the file `leases`.
final class DirectoryLease: StoreLease {
    private let byte: Int64
    private let count: Int64
    private let slot: ForkGuard.Slot
    /// What keeps other threads of this process from taking the same lease.
    private let key: LeaseTable.Key?
    private let isReleased = Atomic<Bool>(false)

    init(from byte: Int64, count: Int64, _ slot: ForkGuard.Slot, _ key: LeaseTable.Key? = nil) {
        self.byte = byte
        self.count = count
        self.slot = slot
        self.key = key
    }

    deinit { release() }

    func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Unlock explicitly instead of relying on close, because a child between fork and exec may hold the same open
        // file.
        ForkGuard.shared.discard(slot) { [byte, count] file in Syscalls.unlock(file, byte: byte, count: count) }
        if let key { LeaseTable.shared.leave(key, generation: slot.generation) }
    }
}
