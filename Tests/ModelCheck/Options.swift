// SPDX-License-Identifier: Apache-2.0

/// What the command line says.
struct Options {
    var sequences = 5_000
    /// After how many seconds no further sequence begins.
    var seconds = Int.max
    var seed: UInt64 = 1
    /// One sequence in so many runs on an encrypted file; 0 for none.
    var files = 100
    /// How many disagreements are told before it ends.
    var failures = 1
    var keepsGoing: Bool { failures > 1 }

    init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)[...]
        while let name = arguments.popFirst() {
            guard let value = arguments.popFirst() else { break }
            switch name {
            case "--sequences": sequences = Int(value) ?? sequences
            case "--seconds": seconds = Int(value) ?? seconds
            case "--seed": seed = UInt64(value) ?? seed
            case "--files": files = Int(value) ?? files
            case "--failures": failures = Int(value) ?? failures
            default: break
            }
        }
    }
}
