// SPDX-License-Identifier: Apache-2.0

extension Task where Failure == Never {
    /// The task's value; nil if the time ends, or the caller is cancelled, first. The task then continues.
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
