// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching
internal import UnifiedSchema

extension Interaction {
    /// Waits for the caller's turn, as `turn()` does.
    nonisolated(nonsending) func turn(_ correlationID: CorrelationID) async throws(AcquisitionError) -> InteractionTurn
    {
        do throws(TokenCacheError) {
            return try await turn()
        } catch {
            throw AcquisitionError(error, correlationID)
        }
    }
}

extension InteractionLease {
    /// Asks the user, and then lets the next caller ask. All who wait learn that the user declined, or that this caller
    /// was cancelled.
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

extension InteractiveRequest {
    /// Whether the sign-in of an account that another request asked for may be what this one asks for, too.
    func accepts(_ account: Account) -> Bool {
        guard prompt == .ifNecessary, maximumAge == nil, extraScopesToConsent.isEmpty else { return false }
        // What they say about the user, or how the user has to sign in, is not known here.
        guard extraParameters.isEmpty, domainHint == nil else { return false }
        if let wanted = self.account {
            return HomeAccountID.areSame(UTF8Text(wanted.id.text), UTF8Text(account.id.text))
        }
        guard let hint else { return true }
        return account.username.lowercased() == hint.lowercased()
    }
}
