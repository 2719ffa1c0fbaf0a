// SPDX-License-Identifier: Apache-2.0

extension Services {
    /// Sends a request, and converts the transport's errors to the client's.
    func send(
        _ request: TransportRequest,
        _ correlationID: CorrelationID? = nil
    ) async throws(AcquisitionError) -> TransportResponse {
        try await reporting(.request, correlationID, status: \.status) { () async throws(AcquisitionError) in
            do throws(TransportError) {
                return try await transport.send(request)
            } catch {
                throw AcquisitionError(error.code == .cancelled ? .cancelled : .networkFailed) { facts in
                    facts.transportError = error
                    facts.correlationID = correlationID
                }
            }
        }
    }

    /// Waits.
    func wait(_ duration: Duration) async throws(AcquisitionError) {
        do {
            try await sleep(duration)
        } catch {
            throw AcquisitionError(.cancelled)
        }
        if Task.isCancelled { throw AcquisitionError(.cancelled) }
    }
}
