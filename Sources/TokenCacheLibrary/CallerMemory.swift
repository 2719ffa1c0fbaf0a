// SPDX-License-Identifier: Apache-2.0

internal import CTokenCache
internal import Glibc
internal import RecordStorage
internal import TokenCaching

// SAFETY: what callers pass is read only after it was compared with NULL, and only as far as they say that it reaches.
// That memory is really there is up to them, as everywhere in C.

/// A structure of the caller, which begins with its size.
protocol SizedStructure {
    var struct_size: UInt32 { get }
}

extension tokencache_options: SizedStructure {}
extension tokencache_terms: SizedStructure {}
extension tokencache_request: SizedStructure {}
extension tokencache_info: SizedStructure {}
extension tokencache_view: SizedStructure {}
extension tokencache_report: SizedStructure {}

/// Checks a structure of the caller before anything else in it is read.
///
/// - Returns: where it is.
func checked<Structure: SizedStructure>(
    _ pointer: UnsafePointer<Structure>?,
    _ name: String
) throws(CallFailure) -> UnsafePointer<Structure> {
    guard let pointer = unsafe pointer else { throw .invalidRequest("\(name) is NULL") }
    let size = unsafe UnsafeRawPointer(pointer).load(as: UInt32.self)
    guard size >= MemoryLayout<Structure>.size else { throw .invalidRequest("struct_size of \(name) is too small") }
    return unsafe pointer
}

/// A structure that the caller filled in.
///
/// Members that a later version appends are zero, or this one would leave out what they ask for.
func filled<Structure: SizedStructure>(
    _ pointer: UnsafePointer<Structure>?,
    _ name: String
) throws(CallFailure) -> Structure {
    let pointer = unsafe try checked(pointer, name)
    let known = MemoryLayout<Structure>.size
    let size = unsafe Int(pointer.pointee.struct_size)
    guard size <= largestStructure else { throw .invalidRequest("struct_size of \(name) is too large") }
    let rest = unsafe UnsafeRawBufferPointer(start: pointer, count: size)[known...]
    guard unsafe rest.allSatisfy({ $0 == 0 }) else {
        throw .invalidRequest("\(name) has members of a newer version of the library")
    }
    return unsafe pointer.pointee
}

/// The largest structure that any version will have.
private let largestStructure = 4_096

/// Checks where a result goes, before the call does anything.
func required<Value>(
    _ pointer: UnsafeMutablePointer<Value>?,
    _ name: String
) throws(CallFailure) -> UnsafeMutablePointer<Value> {
    guard let pointer = unsafe pointer else { throw .invalidRequest("\(name) is NULL") }
    return unsafe pointer
}

/// The longest text that a caller passes.
private let longestText = 1 << 20

/// A text of the caller; nil for NULL.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(CallFailure) -> String? {
    guard let pointer = unsafe pointer else { return nil }
    let count = unsafe strnlen(pointer, longestText + 1)
    guard count <= longestText else { throw CallFailure(TokenCacheError(StorageError(.tooLarge, detail: name))) }
    let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: count)
    guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
        throw .invalidRequest("\(name) is not UTF-8")
    }
    return text
}

/// A text that may not be NULL.
func requiredText(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(CallFailure) -> String {
    guard let text = unsafe try text(pointer, name) else { throw .invalidRequest("\(name) is NULL") }
    return text
}

/// The scopes in a text that separates them by spaces.
func scopes(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(CallFailure) -> [String] {
    unsafe try text(pointer, name)?.split(separator: " ").map(String.init) ?? []
}

/// Bytes of the caller, as long as `body` runs.
func withBytes<Result>(
    _ pointer: UnsafePointer<UInt8>?,
    _ count: Int,
    _ name: String,
    _ body: (RawSpan) throws(CallFailure) -> Result
) throws(CallFailure) -> Result {
    // A size_t that is no size of anything arrives as a negative number.
    guard count >= 0 else { throw .invalidRequest("the size of \(name) is no size") }
    guard unsafe pointer != nil || count == 0 else { throw .invalidRequest("\(name) is NULL") }
    return try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: pointer, count: count)))
}

/// Where the caller wants bytes.
@safe struct CallerBuffer {
    private let start: UnsafeMutableRawPointer?
    private let capacity: Int
    private let count: UnsafeMutablePointer<Int>

    init(
        _ start: UnsafeMutableRawPointer?,
        capacity: Int,
        count: UnsafeMutablePointer<Int>?
    ) throws(CallFailure) {
        guard unsafe start != nil || capacity == 0 else { throw .invalidRequest("buffer is NULL") }
        guard capacity >= 0 else { throw .invalidRequest("capacity is no size") }
        unsafe self.start = start
        self.capacity = capacity
        unsafe self.count = try required(count, "count")
    }

    /// Copies all of the bytes, or only says how many there are.
    func fill(with bytes: RawSpan, zeroBytes: Int = 0) throws(CallFailure) {
        unsafe count.pointee = bytes.byteCount
        guard bytes.byteCount + zeroBytes <= capacity else { throw .bufferTooSmall }
        guard let start = unsafe start else { return }
        unsafe bytes.withUnsafeBytes { source in
            if let first = source.baseAddress { unsafe start.copyMemory(from: first, byteCount: source.count) }
        }
        if zeroBytes > 0 { unsafe start.storeBytes(of: 0, toByteOffset: bytes.byteCount, as: UInt8.self) }
    }

    /// Says that there is nothing to copy.
    func leaveEmpty() { unsafe count.pointee = 0 }
}

/// Passes bytes to a function of the caller.
func pass(_ bytes: RawSpan, to sink: tokencache_sink, _ context: UnsafeMutableRawPointer?) throws(CallFailure) {
    let status = unsafe bytes.withUnsafeBytes { buffer in
        unsafe sink(context, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
    }
    if status != 0 { throw CallFailure(TokenCacheError(.cancelled)) }
}

/// The time that a call may take; nil if the caller names none.
func duration(ofMilliseconds count: UInt32) -> Duration? { count == 0 ? nil : .milliseconds(Int64(count)) }
