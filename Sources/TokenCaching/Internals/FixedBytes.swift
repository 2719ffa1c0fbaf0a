// SPDX-License-Identifier: Apache-2.0

/// Immutable bytes with a single owner: reading them takes no reference count.
///
/// The reference count of a shared array is a cache line that all threads write to; lookups must not share one.
@safe struct FixedBytes: ~Copyable, @unchecked Sendable {
    // SAFETY: written only in the initializer, and freed by the one owner.
    private let base: UnsafeMutablePointer<UInt8>
    private let count: Int

    /// A copy of `bytes`.
    init(_ bytes: [UInt8]) {
        count = bytes.count
        unsafe base = UnsafeMutablePointer.allocate(capacity: count)
        for index in 0..<count { unsafe (base + index).initialize(to: bytes[index]) }
    }

    deinit { unsafe base.deallocate() }

    /// The bytes, in place. The owner may hand them out only for its own lifetime.
    @unsafe var unsafeBytes: RawSpan {
        @_lifetime(immortal)
        get {
            let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count)
            return unsafe _overrideLifetime(span, copying: ())
        }
    }
}
