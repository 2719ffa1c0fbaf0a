// SAFETY: a caller of `store` hands over room for the 24 bytes of a nonce.

/// The 24 bytes that a box begins with, for one box and no other.
package struct Nonce: ~Copyable {
    fileprivate var words: InlineArray<3, UInt64>

    /// A fresh one.
    init(from random: RandomSource) {
        words = InlineArray(repeating: 0)
        var span = words.mutableSpan
        var bytes = unsafe span.mutableBytes
        random.fill(&bytes)
    }

    fileprivate init(_ words: InlineArray<3, UInt64>) {
        self.words = words
    }

    /// Puts the bytes where the box begins.
    @inline(always)
    @unsafe func store(to box: UnsafeMutablePointer<UInt8>) {
        let box = UnsafeMutableRawPointer(box)
        unsafe box.storeBytes(of: words[0], as: UInt64.self)
        unsafe box.storeBytes(of: words[1], toByteOffset: 8, as: UInt64.self)
        unsafe box.storeBytes(of: words[2], toByteOffset: 16, as: UInt64.self)
    }
}

/// The nonces of several boxes, drawn from the kernel at once.
///
/// They are drawn once all plaintexts, and what is authenticated with them, lie in memory for good, and are used for these
/// boxes at once. A virtual machine that is cloned between the draw and the last box then makes the same boxes in both
/// copies, from which nobody learns anything. A nonce that was drawn before its plaintext was known might seal two
/// different ones.
package struct NonceBatch: ~Copyable {
    /// Three for each.
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

    /// One that was not given out yet. It is an error to ask for more than were drawn.
    @inline(always)
    mutating func next() -> Nonce {
        defer { used += 3 }
        return Nonce([words[used], words[used + 1], words[used + 2]])
    }
}
