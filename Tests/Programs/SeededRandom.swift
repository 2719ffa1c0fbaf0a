import Foundation

/// Random numbers that can be had again: the seed is printed, and `TOKEN_CACHE_TEST_SEED` sets it.
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// A new sequence. Says its seed, so that a failure can be repeated.
    package init(for test: String) {
        let named = ProcessInfo.processInfo.environment["TOKEN_CACHE_TEST_SEED"].flatMap(UInt64.init)
        let seed = named ?? UInt64.random(in: 0..<1_000_000)
        print("\(test): seed \(seed)")
        state = seed
    }

    /// The next number (SplitMix64).
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
