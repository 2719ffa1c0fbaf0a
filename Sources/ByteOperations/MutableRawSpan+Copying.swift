// SPDX-License-Identifier: Apache-2.0

extension MutableRawSpan {
    /// Copies all of `source` to `offset`.
    public mutating func copy(_ source: RawSpan, to offset: Int) {
        precondition(offset >= 0 && source.byteCount <= byteCount - offset, "the bytes do not fit")
        // SAFETY: the bounds were checked; the two never overlap, as one of them is exclusive.
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { source in
                guard let base = source.baseAddress, let targetBase = target.baseAddress else { return }
                unsafe (targetBase + offset).copyMemory(from: base, byteCount: source.count)
            }
        }
    }

    /// Moves the bytes of `range` to the front.
    public mutating func moveToFront(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "the bytes are not there")
        // SAFETY: the bounds were checked; copyMemory moves bytes that overlap.
        unsafe withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress, !range.isEmpty else { return }
            unsafe base.copyMemory(from: base + range.lowerBound, byteCount: range.count)
        }
    }
}
