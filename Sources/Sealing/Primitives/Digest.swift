// SPDX-License-Identifier: Apache-2.0

// SAFETY: all loads and stores stay within the 32 bytes of `storage`.

/// A keyed hash of 256 bits, compared in constant time.
package struct Digest: Sendable {
    /// The number of bytes.
    package static let byteCount = 32

    private var storage: InlineArray<4, UInt64> = .init(repeating: 0)

    /// Creates a digest from 32 bytes; `nil` for any other length.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == Self.byteCount else { return nil }
        for index in 0..<4 {
            storage[index] = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        }
    }

    @unsafe init(filledBy body: (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe body($0) }
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var copy = storage
        return unsafe withUnsafeBytes(of: &copy) { unsafe Array($0) }
    }
}

extension Digest: Equatable {
    package static func == (left: Digest, right: Digest) -> Bool {
        var difference: UInt64 = 0
        for index in 0..<4 { difference |= left.storage[index] ^ right.storage[index] }
        return difference == 0
    }
}
