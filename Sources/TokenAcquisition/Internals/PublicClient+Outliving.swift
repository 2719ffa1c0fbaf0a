// SPDX-License-Identifier: Apache-2.0

extension PublicClient {
    /// Runs an operation in a task of its own, which outlives the caller. If the caller is cancelled or times out, the
    /// task is cancelled so that it sends nothing more, but runs to its end. ``close()`` also cancels it, and waits for
    /// its end.
    nonisolated(nonsending) func outliving<Value: Sendable>(
        _ deadline: RequestDeadline,
        _ correlationID: CorrelationID,
        _ operation: @escaping @Sendable () async throws(AcquisitionError) -> Value
    ) async throws(AcquisitionError) -> Value {
        let task = Task<Result<Value, AcquisitionError>, Never> {
            do throws(AcquisitionError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        background.endWhenClosing(task)
        if let result = await task.value(within: deadline.remaining) { return try result.get() }
        task.cancel()
        throw AcquisitionError(Task.isCancelled ? .cancelled : .timeout) { $0.correlationID = correlationID }
    }
}
