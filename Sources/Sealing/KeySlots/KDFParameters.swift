// SPDX-License-Identifier: Apache-2.0

/// The cost of trying one passphrase with Argon2id version 1.3 and one lane.
package struct KDFParameters: Hashable, Sendable {
    /// The number of passes over the memory.
    package let opsLimit: UInt32
    /// Memory in KiB.
    package let memoryKiB: UInt32

    /// - Parameters:
    ///   - opsLimit: the number of passes over the memory.
    ///   - memLimit: the memory in bytes, rounded down to a multiple of 1024.
    package init(opsLimit: UInt32 = 3, memLimit: Int = 256 << 20) {
        self.opsLimit = opsLimit
        memoryKiB = UInt32(clamping: memLimit / 1024)
    }

    init(opsLimit: UInt32, memoryKiB: UInt32) {
        self.opsLimit = opsLimit
        self.memoryKiB = memoryKiB
    }

    /// Three passes over 256 MiB, which takes about half a second.
    package static let standard = KDFParameters()
    /// The lowest accepted cost: three passes over 64 MiB.
    package static let minimum = KDFParameters(memLimit: 64 << 20)

    /// Memory in bytes.
    package var memLimit: Int { Int(memoryKiB) * 1024 }

    /// Whether the cost is accepted, for writing and for reading: 3 to 10 passes, at least 64 MiB, and at most twice
    /// the work of ``standard``. A lower cost is too weak. A higher one would let a hostile file stall this machine,
    /// because the cost cannot be authenticated before it is paid.
    package var isAcceptable: Bool {
        (3...10).contains(opsLimit) && memoryKiB >= Self.minimum.memoryKiB && work <= 2 * Self.standard.work
    }

    /// The memory filled over all passes, in KiB.
    private var work: UInt64 { UInt64(opsLimit) * UInt64(memoryKiB) }
}
