// SPDX-License-Identifier: Apache-2.0
// The header documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

internal import ByteOperations
public import CTokenCache
internal import TokenCaching
internal import UnifiedSchema

// SAFETY: in this file pointers of the caller are only passed on to what checks them, or were checked.

@c @implementation
public func tokencache_save(
    _ cache: OpaquePointer?,
    _ request: UnsafePointer<tokencache_request>?,
    _ response: UnsafePointer<UInt8>?,
    _ count: Int,
    _ timeout_ms: UInt32,
    _ account: tokencache_sink?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let cache = unsafe try openCache(cache)
        let request = unsafe try TokenRequest(try filled(request, "request"))
        let saved = unsafe try withBytes(response, count, "response") { (bytes) throws(CallFailure) in
            try waiting(timeout_ms) { () throws(TokenCacheError) in
                try cache.save(try TokenResponse(json: bytes), for: request)
            }
        }
        if saved.belongsToAnotherAccount { throw .accountMismatch }
        guard let account = unsafe account, let value = saved.account else { return }
        unsafe try pass(value.json, to: account, context)
    }
}

@c @implementation
public func tokencache_accounts(
    _ cache: OpaquePointer?,
    _ timeout_ms: UInt32,
    _ sink: tokencache_sink?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let cache = unsafe try openCache(cache)
        guard let sink = unsafe sink else { throw .invalidRequest("sink is NULL") }
        let accounts = try waiting(timeout_ms) { () throws(TokenCacheError) in try cache.accounts() }
        unsafe try pass(.array(accounts.map(\.json)), to: sink, context)
    }
}

@c @implementation
public func tokencache_sign_out(
    _ cache: OpaquePointer?,
    _ account_id: UnsafePointer<CChar>?,
    _ timeout_ms: UInt32,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let cache = unsafe try openCache(cache)
        let account = Account.ID(unsafe try requiredText(account_id, "account_id"))
        try waiting(timeout_ms) { () throws(TokenCacheError) in try cache.signOut(accountID: account) }
    }
}

@c @implementation
public func tokencache_maintain(
    _ cache: OpaquePointer?,
    _ timeout_ms: UInt32,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let cache = unsafe try openCache(cache)
        try waiting(timeout_ms) { () throws(TokenCacheError) in try cache.maintain() }
    }
}

/// A reference to a cache, for calls that may take long.
func openCache(_ handle: OpaquePointer?) throws(CallFailure) -> TokenCache {
    unsafe try handles.retained(handle, TokenCache.self)
}

/// Makes a call with the timeout of the caller.
private func waiting<Result>(
    _ milliseconds: UInt32,
    _ call: () throws(TokenCacheError) -> Result
) throws(CallFailure) -> Result {
    try calling(try TokenCache.within(duration(ofMilliseconds: milliseconds), call))
}

private func pass(
    _ value: JSONValue,
    to sink: tokencache_sink,
    _ context: UnsafeMutableRawPointer?
) throws(CallFailure) {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    unsafe try pass(bytes.rawSpan, to: sink, context)
}

extension TokenRequest {
    fileprivate init(_ request: tokencache_request) throws(CallFailure) {
        let grant: Grant
        switch unsafe Int(request.grant) {
        case TOKENCACHE_GRANT_INTERACTIVE: grant = .interactive
        case TOKENCACHE_GRANT_RENEWAL: grant = .renewal
        case TOKENCACHE_GRANT_APPLICATION: grant = .application
        default: throw .invalidRequest("grant is none of the known ones")
        }
        self.init(
            environment: unsafe try requiredText(request.environment, "environment"),
            tenant: unsafe try requiredText(request.tenant, "tenant"),
            scopes: unsafe try TokenCacheLibrary.scopes(request.scopes, "scopes"),
            grant: grant,
            accountID: unsafe try text(request.account_id, "account_id").map { Account.ID($0) },
            keyID: unsafe try text(request.key_id, "key_id")
        )
        isolatedClaims = unsafe try text(request.isolated_claims, "isolated_claims")
        extendedCacheKey = unsafe try text(request.extended_cache_key, "extended_cache_key")
            .map { ExtendedCacheKey(hash: $0) }
        applicationIdentifier = unsafe try text(request.application_identifier, "application_identifier")
        userAssertion = unsafe try text(request.user_assertion_hash, "user_assertion_hash")
            .map { UserAssertionHash(hash: $0) }
    }
}

extension Account {
    fileprivate var json: JSONValue {
        .object(
            JSONValue.object(of: ["id": id.text, "username": username, "environment": environment]).members + [
                JSONValue.Member(name: "tenant_profiles", value: .array(tenantProfiles.map(\.json)))
            ]
        )
    }
}

extension TenantProfile {
    fileprivate var json: JSONValue {
        .object(of: [
            "tenant": tenant, "environment": environment, "local_account_id": localAccountID,
            "username": username, "name": name,
        ])
    }
}
