// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TokenResponse {
    /// Copies the body of a response into secret memory. Wipe the bytes that you passed yourself.
    ///
    /// - Parameter json: UTF-8, at most 1 MiB.
    /// - Throws: the errors of `TokenResponse.init(json:)`.
    public init(json: Data) throws(TokenCacheError) {
        try self.init(json: json.bytes)
    }
}

extension RenewalOutcome {
    /// The outcome of an HTTP response of the token endpoint: see
    /// `httpResponse(status:body:scopes:retryAfter:date:)`.
    ///
    /// ```swift
    /// let (body, response) = try await URLSession.shared.data(for: request)
    /// let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    /// return try .httpResponse(status: status, body: body)
    /// ```
    public static func httpResponse(
        status: Int,
        body: Data,
        scopes: [String] = [],
        retryAfter: String? = nil,
        date: Timestamp = WallClock.system.now()
    ) throws(TokenCacheError) -> RenewalOutcome {
        try httpResponse(status: status, body: Array(body), scopes: scopes, retryAfter: retryAfter, date: date)
    }
}

extension TokenErrorResponse {
    /// Parses a response without tokens: see `init(status:body:retryAfter:date:)`.
    public init(status: Int, body: Data, retryAfter: String? = nil, date: Timestamp = WallClock.system.now()) {
        self.init(status: status, body: Array(body), retryAfter: retryAfter, date: date)
    }
}

extension CloudMetadata {
    /// Parses a response of instance discovery: see `init(discoveryJSON:)`.
    public init(discoveryJSON: Data) throws(TokenCacheError) {
        try self.init(discoveryJSON: Array(discoveryJSON))
    }
}
