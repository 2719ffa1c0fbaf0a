// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension InteractionLease {
    /// Asks the user, and then lets the next caller ask. If the user declines, or this caller is cancelled, all waiting
    /// callers learn that.
    nonisolated(nonsending) func asking<Result>(
        _ question: nonisolated(nonsending) () async throws(AcquisitionError) -> Result
    ) async throws(AcquisitionError) -> Result {
        defer { release() }
        do throws(AcquisitionError) {
            return try await question()
        } catch {
            switch error.code {
            case .declinedByUser: await decline()
            case .cancelled: await cancel()
            default: break
            }
            throw error
        }
    }
}
