// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// A set of hashes, to detect duplicates.
///
/// The hashes are evenly distributed, so they are not hashed again: each is stored at the index given by its lowest
/// bits, or in the next free slot. Takes twelve to twenty-four bytes per hash.
struct SpreadHashSet {
    /// Zero for an empty slot.
    private var locations: [UInt64] = []
    private var count = 0
    private var hasZero = false

    func contains(_ hash: UInt64) -> Bool {
        if hash == 0 { return hasZero }
        return !locations.isEmpty && locations[location(of: hash)] == hash
    }

    /// - Returns: false if it is already present.
    @discardableResult
    mutating func insert(_ hash: UInt64) -> Bool {
        if hash == 0 {
            defer { hasZero = true }
            return !hasZero
        }
        if count * 3 >= locations.count * 2 { grow() }
        let location = location(of: hash)
        guard locations[location] == 0 else { return false }
        locations[location] = hash
        count += 1
        return true
    }

    /// The slot of the hash, occupied or free. At least one slot is always free.
    private func location(of hash: UInt64) -> Int {
        let mask = locations.count - 1
        var location = Int(truncatingIfNeeded: hash) & mask
        while locations[location] != 0, locations[location] != hash { location = (location + 1) & mask }
        return location
    }

    private mutating func grow() {
        let old = locations
        locations = Array(repeating: 0, count: max(16, old.count * 2))
        for hash in old where hash != 0 { locations[location(of: hash)] = hash }
    }
}

extension RawSpan {
    /// A 64-bit hash with a per-process random seed, to prevent hash flooding.
    ///
    /// Never store it.
    func spreadHash() -> UInt64 {
        var hasher = Hasher()
        hasher.combine(self)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
