// SPDX-License-Identifier: Apache-2.0

// SAFETY: callers of `store` pass memory for the 24 bytes of a nonce.

/// The 24 bytes at the start of a box, used only for that box.
package struct Nonce: ~Copyable {
    fileprivate var words: InlineArray<3, UInt64>

    /// Draws a fresh nonce.
    init(from random: RandomSource) {
        words = InlineArray(repeating: 0)
        var span = words.mutableSpan
        var bytes = unsafe span.mutableBytes
        random.fill(&bytes)
    }

    fileprivate init(_ words: InlineArray<3, UInt64>) {
        self.words = words
    }

    /// Writes the bytes to the start of the box.
    @inline(always)
    @unsafe func store(to box: UnsafeMutablePointer<UInt8>) {
        let box = UnsafeMutableRawPointer(box)
        unsafe box.storeBytes(of: words[0], as: UInt64.self)
        unsafe box.storeBytes(of: words[1], toByteOffset: 8, as: UInt64.self)
        unsafe box.storeBytes(of: words[2], toByteOffset: 16, as: UInt64.self)
    }
}

/// Nonces for several boxes, drawn from the kernel in one call.
///
/// Draw them only when all plaintexts and associated data are final, and use them for these boxes at once. If a virtual
/// machine is then cloned between the draw and the last box, both copies produce identical boxes, which reveal nothing.
/// A nonce drawn before its plaintext is known could seal two different plaintexts.
package struct NonceBatch: ~Copyable {
    /// Three words for each nonce.
    private var words: [UInt64]
    private var used = 0

    /// Draws `count` nonces.
    package init(count: Int, from random: RandomSource = .system) {
        words = [UInt64](repeatElement(0, count: 3 * count))
        switch random {
        case .system:
            var span = words.mutableSpan
            var bytes = unsafe span.mutableBytes
            random.fill(&bytes)
        case .scripted:
            for index in 0..<count {
                let nonce = Nonce(from: random)
                for word in 0..<3 { words[3 * index + word] = nonce.words[word] }
            }
        }
    }

    /// The next unused nonce. Taking more than were drawn is a programming error.
    @inline(always)
    mutating func next() -> Nonce {
        defer { used += 3 }
        return Nonce([words[used], words[used + 1], words[used + 2]])
    }
}
