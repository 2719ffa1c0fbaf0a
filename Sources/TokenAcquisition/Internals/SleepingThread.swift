// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// Runs asynchronous work for a synchronous caller.
enum SleepingThread {
    /// Runs `work` as a task. The calling thread sleeps until the work or the time ends.
    ///
    /// - Returns: the result; nil after the time. The work then continues.
    static func result<Value: Sendable>(
        within time: Duration,
        of work: @escaping @Sendable () async throws(AcquisitionError) -> Value
    ) -> Result<Value, AcquisitionError>? {
        let (monitor, outcome) = (Monitor(), Outcome<Value>())
        Task.detached {
            let result: Result<Value, AcquisitionError>
            do throws(AcquisitionError) { result = .success(try await work()) } catch { result = .failure(error) }
            monitor.withLock { outcome.result.withLock { $0 = result } }
            monitor.wakeAll()
        }
        let deadline = Deadline.after(time)
        return monitor.withLock {
            while true {
                let result = outcome.result.withLock { $0 }
                if result != nil || !monitor.wait(until: deadline) { return result }
            }
        }
    }

    /// The result that the task passes to the thread.
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, AcquisitionError>?>(nil)
    }
}

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
