/// Hashes of what was seen, for telling whether something comes twice.
///
/// They are spread evenly already, so nothing is hashed again: a hash stands where its lowest bits say, or in the next free
/// place behind that. Twelve to twenty-four bytes each.
struct SpreadHashSet {
    /// Zero where nothing stands.
    private var locations: [UInt64] = []
    private var count = 0
    private var hasZero = false

    func contains(_ hash: UInt64) -> Bool {
        if hash == 0 { return hasZero }
        return !locations.isEmpty && locations[location(of: hash)] == hash
    }

    /// - Returns: false if it is there already.
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

    /// Where the hash stands, or would. There is a free place always.
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
