// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The seed that all random tests of a run follow from. It is another one in each run, and `TOKEN_CACHE_TEST_SEED` sets it.
package enum RunSeed {
    /// The seed. Whoever asks first has it printed, so that a failure can be repeated.
    package static let value: UInt64 = {
        let named = unsafe getenv("TOKEN_CACHE_TEST_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
        let seed = named ?? UInt64.random(in: 0..<1_000_000_000)
        print("Random numbers follow from TOKEN_CACHE_TEST_SEED=\(seed)")
        return seed
    }()
}
