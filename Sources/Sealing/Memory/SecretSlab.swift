// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A 64 KiB mapping of secret memory, divided into granules of 64 bytes. It stays mapped for the life of the process,
/// so using a secret needs no reference counting.
@safe struct SecretSlab: ~Copyable, @unchecked Sendable {
    // SAFETY: the base never changes, and the map hands every granule to one owner at a time.
    static let granuleByteCount = 64
    static let byteCount = GranuleMap.granuleCount * granuleByteCount
    /// The maximum size of a secret in a slab; larger secrets get a separate mapping.
    static let largestSecret = byteCount / 2

    private let base: UnsafeMutableRawPointer
    private let map = GranuleMap()
    /// The next slab in the list, which was mapped before this one.
    @unsafe let next: UnsafeMutablePointer<SecretSlab>?

    private init(next: UnsafeMutablePointer<SecretSlab>?) throws(SealingError) {
        let mapping = try SecretMapping(byteCount: Self.byteCount)
        unsafe base = mapping.base
        unsafe self.next = next
    }

    /// Maps a slab that is never unmapped.
    @unsafe static func make(
        before next: UnsafeMutablePointer<SecretSlab>?
    ) throws(SealingError) -> UnsafeMutablePointer<SecretSlab> {
        let slab = unsafe try SecretSlab(next: next)
        let address = UnsafeMutablePointer<SecretSlab>.allocate(capacity: 1)
        unsafe address.initialize(to: slab)
        return unsafe address
    }

    /// Allocates a run of granules, a rounded count.
    @inline(always)
    @unsafe borrowing func allocate(granules: Int) -> UnsafeMutableRawPointer? {
        guard let first = map.allocate(granules) else { return nil }
        return unsafe base + first * Self.granuleByteCount
    }

    /// Frees a run allocated with ``allocate(granules:)``, already wiped.
    @inline(always)
    @unsafe borrowing func free(_ address: UnsafeMutableRawPointer, granules: Int) {
        map.free(unsafe (address - base) / Self.granuleByteCount, granules)
    }

    /// The number of granules in use.
    var usedCount: Int { map.usedCount() }
}
