// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import TokenCaching

/// Reports the progress of an operation to a handler about ten times a second, and asks whether to continue.
struct ProgressMeter {
    private var handler: ProgressHandler?
    private let totalBytes: UInt64?
    private var phase: OperationProgress.Phase
    private var calls = 0
    private var next = SuspendingClock().now

    private static let interval = Duration.milliseconds(100)
    /// Reading the clock costs as much as processing a small entry, so it is read only after so many calls.
    private static let callsPerLook = 16
    private let callsPerLook: Int

    init(
        _ handler: ProgressHandler?,
        phase: OperationProgress.Phase,
        totalBytes: UInt64?,
        callsPerLook: Int = Self.callsPerLook
    ) {
        self.callsPerLook = callsPerLook
        self.handler = handler
        self.phase = phase
        self.totalBytes = totalBytes
    }

    /// From now on calls handlers on another thread, because the following work holds a lock.
    mutating func pass(to relay: CallbackRelay) {
        handler = { relay.report($0) }
    }

    /// Records the progress.
    ///
    /// - Throws: `cancelled`.
    mutating func note(completedBytes: Int, entryCount: Int) throws(StorageError) {
        calls += 1
        guard calls % callsPerLook == 0 else { return }
        let now = SuspendingClock().now
        guard now >= next else { return }
        next = now.advanced(by: Self.interval)
        try report(completedBytes: completedBytes, entryCount: entryCount)
    }

    /// Enters another phase, and reports that at once.
    mutating func enter(
        _ phase: OperationProgress.Phase,
        completedBytes: Int,
        entryCount: Int
    ) throws(StorageError) {
        self.phase = phase
        try report(completedBytes: completedBytes, entryCount: entryCount)
    }

    private func report(completedBytes: Int, entryCount: Int) throws(StorageError) {
        let progress = OperationProgress(
            phase: phase,
            completedBytes: UInt64(completedBytes),
            totalBytes: totalBytes,
            entryCount: entryCount
        )
        if Task.isCancelled || handler?(progress) == .cancel { throw StorageError(.cancelled) }
    }
}
