// SPDX-License-Identifier: Apache-2.0

/// Requests whose response may contain the only copy of the next refresh token, so that it is saved even if nobody waits
/// for it any longer.
extension PublicClient {
    /// Completes an operation even if the caller is cancelled meanwhile, and returns its result.
    ///
    /// - Throws: `cancelled` if the caller was cancelled before, and the errors of the operation.
    nonisolated(nonsending) func completing<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(AcquisitionError) -> Value
    ) async throws(AcquisitionError) -> Value {
        guard !Task.isCancelled else { throw AcquisitionError(.cancelled) }
        let task = Task<Result<Value, AcquisitionError>, Never> {
            do throws(AcquisitionError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        return try await task.value.get()
    }

    /// Runs an operation in a task of its own, which outlives the caller. If the caller is cancelled or times out, the
    /// task is cancelled so that it sends nothing more, but runs to its end, which is reported. ``close()`` also cancels
    /// it, and waits for its end.
    nonisolated(nonsending) func outliving<Value: Sendable>(
        _ deadline: RequestDeadline,
        _ correlationID: CorrelationID,
        _ operation: @escaping @Sendable () async throws(AcquisitionError) -> Value
    ) async throws(AcquisitionError) -> Value {
        let start = ContinuousClock.now
        let task = background.endingWhenClosed {
            Task<Result<Value, AcquisitionError>, Never> {
                do throws(AcquisitionError) { return .success(try await operation()) } catch { return .failure(error) }
            }
        }
        if let result = await task.value(within: deadline.remaining) { return try result.get() }
        task.cancel()
        // Only the caller knows that it no longer waits: closing cancels the task, too.
        _ = background.endingWhenClosed {
            Task<Void, Never> {
                let event = AcquisitionEvent(
                    kind: .abandonedRenewal,
                    correlationID: correlationID,
                    duration: start.duration(to: .now),
                    errorCode: await task.value.errorCode
                )
                services.onEvent?(event)
            }
        }
        throw AcquisitionError(Task.isCancelled ? .cancelled : .timeout)
    }
}

extension Result where Failure == AcquisitionError {
    fileprivate var errorCode: AcquisitionError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
