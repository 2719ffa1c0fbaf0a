// SPDX-License-Identifier: Apache-2.0

// SAFETY: any bytes are valid values of the types that are filled.

/// The source of nonces, salts and slot ids, but never of keys.
///
/// Programs use ``system``. Tests that reproduce known sealed bytes pass a scripted source to the value under test; it
/// is not a process-wide setting.
package enum RandomSource: Sendable {
    /// The kernel's random generator.
    case system
    /// A function that returns the requested number of bytes.
    case scripted(@Sendable (Int) -> [UInt8])

    @inline(always)
    @_lifetime(bytes: copy bytes)
    func fill(_ bytes: inout MutableRawSpan) {
        switch self {
        case .system:
            Sodium.fillRandom(&bytes)
        case .scripted(let script):
            let scripted = script(bytes.byteCount)
            precondition(scripted.count == bytes.byteCount, "a scripted source returned a wrong number of bytes")
            for index in scripted.indices {
                bytes.storeBytes(of: scripted[index], toByteOffset: index, as: UInt8.self)
            }
        }
    }

    /// `count` fresh bytes.
    func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var raw = unsafe span.mutableBytes
        fill(&raw)
        return bytes
    }
}
