public import TokenCaching

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TokenResponse {
    /// Takes a copy of the body of a response into secret memory. What you passed is yours to overwrite.
    ///
    /// - Parameter json: UTF-8, at most 1 MiB.
    /// - Throws: as `TokenResponse.init(json:)` of the bytes.
    public init(json: Data) throws(TokenCacheError) {
        try self.init(json: json.bytes)
    }
}

extension RenewalOutcome {
    /// What an HTTP answer of the token endpoint means: as `httpResponse(status:body:scopes:retryAfter:)` of the bytes.
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
        retryAfter: String? = nil
    ) throws(TokenCacheError) -> RenewalOutcome {
        try httpResponse(status: status, body: Array(body), scopes: scopes, retryAfter: retryAfter)
    }
}

extension TokenErrorResponse {
    /// Reads a response that brings no tokens: as `init(status:body:retryAfter:date:)` of the bytes.
    public init(status: Int, body: Data, retryAfter: String? = nil) {
        self.init(status: status, body: Array(body), retryAfter: retryAfter)
    }
}

extension CloudMetadata {
    /// Reads the body of a response of instance discovery: as `init(discoveryJSON:)` of the bytes.
    public init(discoveryJSON: Data) throws(TokenCacheError) {
        try self.init(discoveryJSON: Array(discoveryJSON))
    }
}
