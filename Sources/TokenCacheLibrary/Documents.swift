// SPDX-License-Identifier: Apache-2.0
// The header documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTokenCache
internal import CacheAdministration
internal import Synchronization
internal import TokenCaching

// SAFETY: in this file pointers of the caller are only passed on to what checks them, or were checked.

@c @implementation
public func tokencache_document_read(
    _ group: OpaquePointer?,
    _ view: UnsafePointer<tokencache_view>?,
    _ document: UnsafeMutablePointer<OpaquePointer?>?,
    _ sink: tokencache_sink?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe document?.pointee = nil
    return unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe try required(document, "document")
        let group = unsafe try handles.retained(group, CacheGroup.self)
        let view = unsafe try filled(view, "view")
        let flags = unsafe Int(view.flags)
        guard flags & ~TOKENCACHE_ALLOW_EMPTY == 0 else { throw .invalidRequest("view has unknown flags") }
        let client = unsafe try requiredText(view.client_id, "client_id")
        let account = unsafe try text(view.account, "account")
        var read = try calling(try group.document(for: client, account: account))
        if let sink = unsafe sink {
            try open(read) { (bytes) throws(CallFailure) in unsafe try pass(bytes, to: sink, context) }
            try calling(try read.dropText())
        }
        let new = OpenDocument(read, allowsEmpty: flags & TOKENCACHE_ALLOW_EMPTY != 0)
        guard let handle = unsafe handles.insert(new) else { throw .tooManyHandles }
        unsafe result.pointee = handle
    }
}

@c @implementation
public func tokencache_document_copy_text(
    _ document: OpaquePointer?,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let room = unsafe try CallerBuffer(buffer, capacity: capacity, count: count)
        unsafe try handles.retained(document, OpenDocument.self).moveText(to: room)
    }
}

@c @implementation
public func tokencache_document_merge(
    _ document: OpaquePointer?,
    _ edited: UnsafePointer<UInt8>?,
    _ count: Int,
    _ timeout_ms: UInt32,
    _ report: UnsafeMutablePointer<tokencache_report>?,
    _ error: UnsafeMutablePointer<tokencache_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(CallFailure) in
        let result = unsafe report == nil ? nil : try checked(UnsafePointer(report), "report")
        let document = unsafe try handles.retained(document, OpenDocument.self)
        let merged = unsafe try withBytes(edited, count, "edited") { (bytes) throws(CallFailure) in
            try calling(try document.merge(bytes, timeout: duration(ofMilliseconds: timeout_ms)))
        }
        if unsafe result != nil { unsafe report?.write(merged) }
    }
}

@c @implementation
public func tokencache_document_free(_ document: OpaquePointer?) -> Int32 {
    unsafe removing(document, OpenDocument.self) { _ in }
}

/// A document that a caller was handed.
final class OpenDocument: Sendable {
    private let document: Mutex<CacheDocument>
    private let allowsEmpty: Bool

    init(_ document: consuming sending CacheDocument, allowsEmpty: Bool) {
        self.document = Mutex(document)
        self.allowsEmpty = allowsEmpty
    }

    func moveText(to room: CallerBuffer) throws(CallFailure) {
        try document.withLock { (document) throws(CallFailure) in
            try open(document) { (bytes) throws(CallFailure) in
                // No document is empty.
                guard !bytes.isEmpty else { throw .invalidRequest("the text was handed out already") }
                try room.fill(with: bytes)
            }
            try calling(try document.dropText())
        }
    }

    func merge(_ edited: RawSpan, timeout: Duration?) throws(TokenCacheError) -> MergeReport {
        let options = MergeOptions(allowsEmpty: allowsEmpty, timeout: timeout)
        return try document.withLock { (document) throws(TokenCacheError) in
            try document.merge(edited, options: options)
        }
    }
}

extension CacheDocument: SecretHolder {
    func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        try withBytes(body)
    }
}

extension UnsafeMutablePointer<tokencache_report> {
    fileprivate func write(_ report: MergeReport) {
        unsafe pointee.written = UInt32(clamping: report.writtenCount)
        unsafe pointee.removed = UInt32(clamping: report.removedCount)
        unsafe pointee.signed_out = UInt32(clamping: report.signedOutCount)
        unsafe pointee.refused = UInt32(clamping: report.refusedCount)
        unsafe pointee.kept = UInt32(clamping: report.keptCount)
        unsafe pointee.ignored = UInt32(clamping: report.ignoredCount)
    }
}
