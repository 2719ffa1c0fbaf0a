// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension RawSpan {
    /// A 64-bit hash with a per-process random seed, to prevent hash flooding.
    ///
    /// Never store it.
    func spreadHash() -> UInt64 {
        var hasher = Hasher()
        hasher.combine(self)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
