// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TokenCaching

/// Renewals of tokens that are still valid: one at a time for each refresh token, a few at a time in total, and none
/// for a while after a failure.
final class BackgroundRenewals: Sendable {
    /// Identifies a refresh token by its account and the host that issued it.
    struct RefreshTokenKey: Hashable, Sendable {
        let account: Account.ID?
        let environment: String
    }

    /// Identifies a renewal. A failure for some scopes or one resource says nothing about others.
    struct Key: Hashable, Sendable {
        let refreshToken: RefreshTokenKey
        let scopes: [String]
        var isolatedParameters: [String: String] = [:]
    }

    private struct State {
        var running: [Key: Task<Void, Never>] = [:]
        /// When renewals failed.
        var failures: [Key: Timestamp] = [:]
        /// The tasks of callers that wait, or have stopped waiting, by number.
        var foreground: [UInt64: Task<Void, Never>] = [:]
        var foregroundCount: UInt64 = 0
        var isClosed = false
    }

    private let clock: WallClock
    private let state = Mutex(State())

    /// The maximum number of concurrent renewals.
    private static let runningLimit = 8
    /// The maximum number of failures that are remembered.
    private static let failureLimit = 256
    /// How long no renewal is started after a failure.
    static let rest = Duration.seconds(300)

    init(clock: WallClock) {
        self.clock = clock
    }

    /// Starts a renewal, unless one is running with this refresh token, or one for these scopes failed recently.
    ///
    /// - Parameters:
    ///   - key: the renewal.
    ///   - renew: renews, and returns whether that succeeded.
    func start(_ key: Key, _ renew: @escaping @Sendable () async -> Bool) {
        let now = clock.now()
        state.withLock { state in
            // If the clock was set back, the rest must not last longer.
            state.failures = state.failures.filter { $0.value <= now && now < $0.value.advanced(by: Self.rest) }
            guard !state.isClosed, state.failures[key] == nil, state.running.count < Self.runningLimit,
                !state.running.keys.contains(where: { $0.refreshToken == key.refreshToken })
            else { return }
            state.running[key] = Task(priority: .utility) {
                let isDone = await renew()
                let end = self.clock.now()
                self.state.withLock { state in
                    state.running[key] = nil
                    if !isDone, state.failures.count < Self.failureLimit { state.failures[key] = end }
                }
            }
        }
    }

    /// Starts a caller's task, which ``close()`` cancels, and for whose end it waits. A cancelled caller may not have
    /// noticed its cancellation when the client is closed.
    func endingWhenClosed<Value>(_ start: () -> Task<Value, Never>) -> Task<Value, Never> {
        // The task may have sent its refresh token before this thread runs again: nothing may come between its start and
        // its record.
        state.withLock { state in
            let work = start()
            let number = state.foregroundCount
            state.foregroundCount += 1
            state.foreground[number] = Task {
                _ = await withTaskCancellationHandler {
                    await work.value
                } onCancel: {
                    work.cancel()
                }
                self.state.withLock { $0.foreground[number] = nil }
            }
            return work
        }
    }

    /// Starts no further renewals, ends those that have sent nothing, and waits for the others.
    func close() async {
        state.withLock { $0.isClosed = true }
        // A renewal in the background starts tasks like a caller's, so those come last.
        await end { Array($0.running.values) }
        await end { Array($0.foreground.values) }
    }

    private func end(_ tasks: (State) -> [Task<Void, Never>]) async {
        let tasks = state.withLock { tasks($0) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Waits until no renewal is running.
    func settle() async {
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }
}
