// SPDX-License-Identifier: Apache-2.0

extension Task where Failure == Never {
    /// What the task returns; nil if the time is over, or the caller was cancelled, before that. The task goes on then.
    nonisolated(nonsending) func value(within time: Duration) async -> Success? {
        let (values, continuation) = AsyncStream<Success>.makeStream()
        let relay = Task<Void, Never> {
            continuation.yield(await value)
            continuation.finish()
        }
        let timer = Task<Void, Never> {
            try? await Task<Never, Never>.sleep(for: time)
            continuation.finish()
        }
        defer { for helper in [relay, timer] { helper.cancel() } }
        for await value in values { return value }
        return nil
    }
}
