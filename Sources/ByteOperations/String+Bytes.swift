// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The UTF-8 of the text as raw bytes.
    public var rawSpan: RawSpan {
        // Not inlinable: in another module's code, Swift 6.3 loses the fact that the bytes of a short text lie in the
        // text itself. A release build then ends the text's lifetime before the last call of a function, which still
        // reads them.
        @_lifetime(borrow self)
        get {
            // SAFETY: UInt8 has no padding.
            unsafe utf8Span.span.bytes
        }
    }

    /// The text of `bytes`; `nil` if they are not UTF-8.
    public init?(_ bytes: RawSpan) {
        guard let valid = try? UTF8Span(validating: Span<UInt8>(_bytes: bytes)) else { return nil }
        self = String(copying: valid)
    }

    /// The text of `bytes` with A-Z folded to a-z; `nil` if they are not UTF-8.
    public init?(folding bytes: RawSpan) {
        guard bytes.isASCII else {
            guard let text = String(bytes) else { return nil }
            self = text.foldingASCII()
            return
        }
        self.init(foldingValid: bytes)
    }

    /// The text with A-Z folded to a-z, everything else unchanged.
    public func foldingASCII() -> String {
        String(foldingValid: rawSpan)
    }

    /// `bytes` are known to be UTF-8.
    private init(foldingValid bytes: RawSpan) {
        let count = bytes.byteCount
        // SAFETY: the buffer holds `count` bytes by contract, and exactly those are written.
        unsafe self.init(unsafeUninitializedCapacity: count) { buffer in
            var offset = 0
            while offset + 8 <= count {
                let folded = ASCII.folded(word: bytes.word(at: offset))
                unsafe UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped + offset)
                    .storeBytes(of: folded.littleEndian, as: UInt64.self)
                offset += 8
            }
            while offset < count {
                unsafe buffer.initializeElement(at: offset, to: ASCII.folded(bytes.byte(at: offset)))
                offset += 1
            }
            return count
        }
    }

    /// Creates a text from at most `byteCount` bytes that `write` appends; they must be UTF-8.
    public init(byteCount: Int, _ write: (inout OutputRawSpan) -> Void) {
        // SAFETY: the span counts the initialized bytes, within its capacity.
        unsafe self.init(unsafeUninitializedCapacity: byteCount) { buffer in
            let room = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: byteCount)
            var output = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
            write(&output)
            return unsafe output.finalize(for: room)
        }
    }
}
