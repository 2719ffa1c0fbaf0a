// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// A piece of memory that may be read soon.
@safe struct MemoryExtent: @unchecked Sendable {
    // SAFETY: never read, only hinted at; a hint may name any address.
    private let start: UnsafeRawPointer
    private let byteCount: UInt32

    private static let cacheLineByteCount = 64

    init(_ start: UnsafeRawPointer, byteCount: Int) {
        unsafe self.start = start
        self.byteCount = UInt32(clamping: byteCount)
    }

    /// Prefetches it, or its first `limit` bytes, without waiting.
    func prefetch(limit: Int) {
        var offset = 0
        while offset < min(Int(byteCount), limit) {
            unsafe processor_prefetch(start + offset)
            offset += MemoryExtent.cacheLineByteCount
        }
    }
}
