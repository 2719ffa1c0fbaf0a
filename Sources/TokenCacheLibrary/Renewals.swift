// SPDX-License-Identifier: Apache-2.0
// The header documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

internal import ByteOperations
public import CTokenCache
internal import TokenCaching

// SAFETY: in this file pointers of the caller are only passed on to what checks them, or were checked.

@c @implementation
public func tokencache_renewal_begin(
    _ cache: OpaquePointer?,
    _ query: OpaquePointer?,
    _ timeout_ms: UInt32,
    _ renewal: UnsafeMutablePointer<OpaquePointer?>?,
    _ info: UnsafeMutablePointer<tokencache_info>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe renewal?.pointee = nil
    return unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe try required(renewal, "renewal")
        let answer = unsafe try CallerInfo(info)
        let cache = unsafe try openCache(cache)
        let query = unsafe try handles.retained(query, TokenQuery.self)
        let timeout = duration(ofMilliseconds: timeout_ms) ?? .seconds(60)
        let new = SteppedRenewal(query, in: cache, timeout: timeout)
        let settled = try calling(try new.advance())
        if settled == nil {
            guard let handle = unsafe handles.insert(new) else { throw .tooManyHandles }
            unsafe result.pointee = handle
        }
        answer.write(settled)
    }
}

@c @implementation
public func tokencache_renewal_host(
    _ renewal: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        unsafe try copy(\.networkHost, of: renewal, to: CallerBuffer(buffer, capacity: capacity, count: count))
    }
}

@c @implementation
public func tokencache_renewal_tenant(
    _ renewal: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        unsafe try copy(\.requestTenant, of: renewal, to: CallerBuffer(buffer, capacity: capacity, count: count))
    }
}

@c @implementation
public func tokencache_renewal_copy_secret(
    _ renewal: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let room = unsafe try CallerBuffer(buffer, capacity: capacity, count: count)
        try open(unsafe try token(of: renewal)) { (bytes) throws(CallFailure) in try room.fill(with: bytes) }
    }
}

@c @implementation
public func tokencache_renewal_finish(
    _ renewal: OpaquePointer?,
    _ http_status: Int32,
    _ body: UnsafePointer<UInt8>?,
    _ count: Int,
    _ retry_after: UnsafePointer<CChar>?,
    _ info: UnsafeMutablePointer<tokencache_info>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let answer = unsafe try CallerInfo(info)
        let delay = unsafe try text(retry_after, "retry_after")
        let running = unsafe try handles.retained(renewal, SteppedRenewal.self)
        let settled = unsafe try withBytes(body, count, "body") { (bytes) throws(CallFailure) in
            do throws(TokenCacheError) {
                return try running.finish(try outcome(Int(http_status), bytes, retryAfter: delay))
            } catch {
                _ = unsafe try? handles.remove(renewal, SteppedRenewal.self)
                running.cancel()
                throw CallFailure(error)
            }
        }
        if settled != nil { _ = unsafe try? handles.remove(renewal, SteppedRenewal.self) }
        answer.write(settled)
    }
}

@c @implementation
public func tokencache_renewal_cancel(_ renewal: OpaquePointer?) -> Int32 {
    unsafe removing(renewal, SteppedRenewal.self) { $0.cancel() }
}

/// The refresh token to redeem.
private func token(of renewal: OpaquePointer?) throws(CallFailure) -> RefreshToken {
    guard let token = unsafe try handles.retained(renewal, SteppedRenewal.self).token else { throw .invalidHandle }
    return token
}

/// Copies a text about the refresh token to redeem, with a zero byte.
private func copy(
    _ text: (RefreshToken) -> String,
    of renewal: OpaquePointer?,
    to room: CallerBuffer
) throws(CallFailure) {
    try room.fill(with: Array(text(unsafe try token(of: renewal)).utf8).rawSpan, zeroBytes: 1)
}

private func outcome(
    _ status: Int,
    _ body: RawSpan,
    retryAfter: String?
) throws(TokenCacheError) -> RenewalOutcome {
    switch status {
    case 0: return .unavailable
    // Without a copy outside secret memory.
    case 200: return .response(try TokenResponse(json: body))
    default:
        // Of a longer body, a refusal says nothing that is read.
        var bytes: [UInt8] = []
        bytes.append(body.extracting(0..<min(body.byteCount, 65_537)))
        return try .httpResponse(status: status, body: bytes, retryAfter: retryAfter)
    }
}
