// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension TokenCache {
    /// Why a query gets what ``token(for:)`` returns: the nearest stored tokens, what they lack, and whether a refusal
    /// keeps the refresh token from being redeemed. For tools; applications need only the decision.
    ///
    /// Takes about ten microseconds for an account of usual size, and reads the notes of refusals.
    ///
    /// - Parameter query: the query.
    /// - Returns: the nearest tokens of the account. Empty if the account is unknown, or if several accounts have the
    ///   username.
    /// - Throws: the errors of ``token(for:)``.
    public func diagnosis(of query: TokenQuery) throws(TokenCacheError) -> TokenDiagnosis {
        try translating(try engine.diagnosis(of: query))
    }

    /// The same without blocking the calling thread. Parameters, result and errors are those of the synchronous form.
    nonisolated(nonsending) public func diagnosis(
        of query: TokenQuery
    ) async throws(TokenCacheError) -> TokenDiagnosis {
        try await engine.onPool { () throws(TokenCacheError) in try self.diagnosis(of: query) }
    }
}
