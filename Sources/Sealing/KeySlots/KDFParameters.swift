/// What it costs to try one passphrase: Argon2id version 1.3 with one lane.
package struct KDFParameters: Hashable, Sendable {
    /// Number of passes over the memory.
    package let opsLimit: UInt32
    /// Memory in KiB.
    package let memoryKiB: UInt32

    /// - Parameters:
    ///   - opsLimit: number of passes over the memory.
    ///   - memLimit: memory in bytes, a multiple of 1024; what is left over is dropped.
    package init(opsLimit: UInt32 = 3, memLimit: Int = 256 << 20) {
        self.opsLimit = opsLimit
        memoryKiB = UInt32(clamping: memLimit / 1024)
    }

    init(opsLimit: UInt32, memoryKiB: UInt32) {
        self.opsLimit = opsLimit
        self.memoryKiB = memoryKiB
    }

    /// Three passes over 256 MiB: about half a second.
    package static let standard = KDFParameters()
    /// The least that is accepted: three passes over 64 MiB.
    package static let minimum = KDFParameters(memLimit: 64 << 20)

    /// Memory in bytes.
    package var memLimit: Int { Int(memoryKiB) * 1024 }

    /// Whether the cost is within what is accepted, in writing and in reading: 3 to 10 passes, 64 MiB and more, and at most
    /// twice the work of ``standard``. Less would be too weak, more would let a hostile file tie this machine up: nothing
    /// vouches for a cost before it was paid.
    package var isAcceptable: Bool {
        (3...10).contains(opsLimit) && memoryKiB >= Self.minimum.memoryKiB && work <= 2 * Self.standard.work
    }

    /// KiB that are filled, in all passes.
    private var work: UInt64 { UInt64(opsLimit) * UInt64(memoryKiB) }
}
