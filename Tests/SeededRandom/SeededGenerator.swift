// SPDX-License-Identifier: Apache-2.0

/// A stream of random numbers that follows from a seed (SplitMix64), so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// Random numbers of this run, other ones in each run: see ``RunSeed``.
    ///
    /// - Parameter stream: tells those apart that one run needs.
    package init(stream: UInt64) {
        var mixer = SeededGenerator(seed: RunSeed.value)
        state = mixer.next() ^ (stream &* 0xD6E8_FEB8_6659_FD93)
    }

    /// Random numbers of this run for the test of this name.
    package init(for test: String) {
        // FNV-1a: a hash that is the same in every run.
        self.init(stream: test.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in `count` times.
    package mutating func once(in count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// One of several; those that stand there twice come twice as often.
    package mutating func pick<Element>(_ elements: Element...) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
