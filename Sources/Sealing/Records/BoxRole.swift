/// Which of the two boxes of a record one is.
package enum BoxRole: UInt8, Sendable, CaseIterable {
    /// Everything but the secrets: opened for lookups and lists.
    case facts = 1
    /// The secrets: opened at hand-out only.
    case secret = 2

    /// The plaintext is padded to a multiple of this many bytes.
    package var bucketByteCount: Int {
        switch self {
        case .facts: 32
        case .secret: 256
        }
    }
}
