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

    private enum Slot {
        case running(Task<Void, Never>)
        case resting(until: Timestamp, failures: Int)
    }

    private struct State {
        var slots: [Key: Slot] = [:]
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
    private static let restingLimit = 256
    private static let shortestRest: Int64 = 60
    private static let longestRest: Int64 = 3600

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
            guard !state.isClosed, mayStart(key, at: now, in: state) else { return }
            let failures: Int
            if case .resting(_, let count) = state.slots[key] { failures = count } else { failures = 0 }
            let task = Task(priority: .utility) {
                let isDone = await renew()
                self.end(key, isDone ? 0 : failures + 1)
            }
            state.slots[key] = .running(task)
        }
    }

    private func mayStart(_ key: Key, at now: Timestamp, in state: borrowing State) -> Bool {
        if case .resting(let until, _) = state.slots[key], isResting(until, now) { return false }
        let running = state.slots.filter { if case .running = $0.value { true } else { false } }
        return running.count < Self.runningLimit && !running.keys.contains { $0.refreshToken == key.refreshToken }
    }

    /// If the clock was set back, the rest must not last longer.
    private func isResting(_ until: Timestamp, _ now: Timestamp) -> Bool {
        now < until && until <= now.advanced(by: .seconds(Self.longestRest))
    }

    private func end(_ key: Key, _ failures: Int) {
        let now = clock.now()
        state.withLock { state in
            guard failures > 0 else {
                state.slots[key] = nil
                return
            }
            let rest = min(Self.longestRest, Self.shortestRest << Int64(min(failures - 1, 10)))
            state.slots[key] = .resting(until: now.advanced(by: .seconds(rest)), failures: failures)
            guard state.slots.count > Self.restingLimit else { return }
            // Drop those whose rest is over, or will be over first.
            let rests = state.slots.compactMap { key, slot in
                if case .resting(let until, _) = slot { (key: key, until: until) } else { nil }
            }
            let surplus = state.slots.count - Self.restingLimit
            for rest in rests.sorted(by: { $0.until < $1.until }).prefix(surplus) { state.slots[rest.key] = nil }
        }
    }

    /// Lets ``close()`` cancel a caller's task and wait for its end. Call this when the task starts: a cancelled caller
    /// may not have noticed its cancellation when the client is closed.
    func endWhenClosing<Value>(_ work: Task<Value, Never>) {
        state.withLock { state in
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
        }
    }

    /// Starts no further renewals, ends those that have sent nothing, and waits for the others.
    func close() async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return state.slots.values.compactMap { slot in if case .running(let task) = slot { task } else { nil } }
                + state.foreground.values
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Waits until no renewal is running.
    func settle() async {
        while let task = running { await task.value }
    }

    private var running: Task<Void, Never>? {
        state.withLock { state in
            for slot in state.slots.values { if case .running(let task) = slot { return task } }
            return nil
        }
    }
}
