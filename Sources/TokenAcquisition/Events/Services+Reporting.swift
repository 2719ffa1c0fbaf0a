// SPDX-License-Identifier: Apache-2.0

extension Services {
    /// Reports an event without duration.
    func report(_ kind: AcquisitionEvent.Kind, _ correlationID: CorrelationID?) {
        onEvent?(AcquisitionEvent(kind: kind, correlationID: correlationID))
    }

    /// Makes a call, and reports it to the event handler.
    nonisolated(nonsending) func reporting<Result>(
        _ kind: AcquisitionEvent.Kind,
        _ correlationID: CorrelationID?,
        status: (Result) -> Int? = { _ in nil },
        _ call: nonisolated(nonsending) () async throws(AcquisitionError) -> Result
    ) async throws(AcquisitionError) -> Result {
        guard let onEvent else { return try await call() }
        let start = ContinuousClock.now
        func report(_ status: Int?, _ code: AcquisitionError.Code?) {
            onEvent(
                AcquisitionEvent(
                    kind: kind,
                    correlationID: correlationID,
                    duration: start.duration(to: .now),
                    status: status,
                    errorCode: code
                )
            )
        }
        do throws(AcquisitionError) {
            let result = try await call()
            report(status(result), nil)
            return result
        } catch {
            report(nil, error.code)
            throw error
        }
    }
}
