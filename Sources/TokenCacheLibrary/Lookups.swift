// SPDX-License-Identifier: Apache-2.0
// The header documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTokenCache
internal import TokenCaching

// SAFETY: in this file pointers of the caller are only passed on to what checks them, or were checked.

@c @implementation
public func tokencache_query_new(
    _ terms: UnsafePointer<tokencache_terms>?,
    _ query: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe query?.pointee = nil
    return unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe try required(query, "query")
        let new = unsafe try TokenQuery(try filled(terms, "terms"))
        guard let handle = unsafe handles.insert(new) else { throw .tooManyHandles }
        unsafe result.pointee = handle
    }
}

@c @implementation
public func tokencache_query_free(_ query: OpaquePointer?) -> Int32 {
    unsafe removing(query, TokenQuery.self) { _ in }
}

@c @implementation
public func tokencache_lookup(
    _ cache: OpaquePointer?,
    _ query: OpaquePointer?,
    _ info: UnsafeMutablePointer<tokencache_info>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe try CallerInfo(info)
        result.write(unsafe try decision(cache, query))
    }
}

@c @implementation
public func tokencache_token(
    _ cache: OpaquePointer?,
    _ query: OpaquePointer?,
    _ info: UnsafeMutablePointer<tokencache_info>?,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let room = unsafe try CallerBuffer(buffer, capacity: capacity, count: count)
        unsafe try withToken(cache, query, info) { (bytes) throws(CallFailure) in
            if let bytes { try room.fill(with: bytes) } else { room.leaveEmpty() }
        }
    }
}

@c @implementation
public func tokencache_with_token(
    _ cache: OpaquePointer?,
    _ query: OpaquePointer?,
    _ info: UnsafeMutablePointer<tokencache_info>?,
    _ use: tokencache_sink?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        guard let use = unsafe use else { throw .invalidRequest("use is NULL") }
        unsafe try withToken(cache, query, info) { (bytes) throws(CallFailure) in
            if let bytes { unsafe try pass(bytes, to: use, context) }
        }
    }
}

/// The answer to a query.
@inline(__always)
private func decision(
    _ cacheHandle: OpaquePointer?,
    _ queryHandle: OpaquePointer?
) throws(CallFailure) -> TokenDecision {
    let stripe = handles.pin()
    defer { handles.unpin(stripe) }
    guard let cache = unsafe handles.object(cacheHandle, TokenCache.self),
        let query = unsafe handles.object(queryHandle, TokenQuery.self)
    else { throw .invalidHandle }
    // The cache itself says so too. A query would answer, with what another thread may have left half done.
    if unsafe handles.isInherited(queryHandle) { throw .forkedProcess }
    let answer = unsafe cache._withUnsafeGuaranteedRef { cache in
        unsafe query._withUnsafeGuaranteedRef { query in
            Result { () throws(TokenCacheError) in try cache.token(for: query) }
        }
    }
    return try calling(try answer.get())
}

/// Opens the access token that a query gets, if it gets one, and says what it got.
private func withToken(
    _ cache: OpaquePointer?,
    _ query: OpaquePointer?,
    _ info: UnsafeMutablePointer<tokencache_info>?,
    _ body: (RawSpan?) throws(CallFailure) -> Void
) throws(CallFailure) {
    let result = unsafe info == nil ? nil : try CallerInfo(info)
    let decision = unsafe try decision(cache, query)
    if case .valid(let token) = decision {
        try open(token, body)
    } else {
        try body(nil)
    }
    result?.write(decision)
}

/// What has bytes that are in secret memory only.
protocol SecretHolder: ~Copyable {
    func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result
}

extension AccessToken: SecretHolder {}
extension RefreshToken: SecretHolder {}

/// Passes the bytes of a secret to a body that fails in its own way.
func open(
    _ holder: borrowing some SecretHolder & ~Copyable,
    _ body: (RawSpan) throws(CallFailure) -> Void
) throws(CallFailure) {
    let failure = try calling(
        try holder.withSecret { (bytes) throws(TokenCacheError) -> CallFailure? in
            do throws(CallFailure) {
                try body(bytes)
                return nil
            } catch {
                return error
            }
        }
    )
    if let failure { throw failure }
}

extension TokenQuery {
    fileprivate convenience init(_ terms: tokencache_terms) throws(CallFailure) {
        let flags = unsafe Int(terms.flags)
        guard flags & ~(TOKENCACHE_FORCE_REFRESH | TOKENCACHE_EXTENDED_LIFETIME) == 0 else {
            throw .invalidRequest("terms has unknown flags")
        }
        let account = unsafe try text(terms.account, "account")
        let scopes = unsafe try scopes(terms.scopes, "scopes")
        guard !scopes.isEmpty else { throw .invalidRequest("scopes is NULL or empty") }
        let tenant = unsafe try text(terms.tenant, "tenant")
        let environment = unsafe try text(terms.environment, "environment")
        let options = TokenQueryOptions(
            tokenType: unsafe try text(terms.token_type, "token_type"),
            keyID: unsafe try text(terms.key_id, "key_id"),
            forceRefresh: flags & TOKENCACHE_FORCE_REFRESH != 0,
            claimsChallenge: unsafe try text(terms.claims_challenge, "claims_challenge"),
            allowsExtendedLifetime: flags & TOKENCACHE_EXTENDED_LIFETIME != 0,
            isolatedClaims: unsafe try text(terms.isolated_claims, "isolated_claims"),
            extendedCacheKey: unsafe try text(terms.extended_cache_key, "extended_cache_key")
                .map { ExtendedCacheKey(hash: $0) },
            applicationIdentifier: unsafe try text(terms.application_identifier, "application_identifier"),
            userAssertion: unsafe try text(terms.user_assertion_hash, "user_assertion_hash")
                .map { UserAssertionHash(hash: $0) }
        )
        switch (unsafe Int(terms.subject), account, tenant) {
        case (TOKENCACHE_BY_ACCOUNT_ID, let account?, _):
            self.init(
                accountID: Account.ID(account),
                scopes: scopes,
                tenant: tenant,
                environment: environment,
                options: options
            )
        case (TOKENCACHE_BY_USERNAME, let account?, _):
            self.init(
                username: account,
                scopes: scopes,
                tenant: tenant,
                environment: environment,
                options: options
            )
        case (TOKENCACHE_OF_APPLICATION, nil, let tenant?):
            self.init(applicationScopes: scopes, tenant: tenant, environment: environment, options: options)
        default: throw .invalidRequest("subject, account and tenant do not go together")
        }
    }
}
