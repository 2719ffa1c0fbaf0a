/// Hashes of what was seen, for telling whether something comes twice.
///
/// They are spread evenly already, so nothing is hashed again: a hash stands where its lowest bits say, or in the next free
/// place behind that. Twelve to twenty-four bytes each.
struct SpreadHashSet {
    /// Zero where nothing stands.
    private var places: [UInt64] = []
    private var count = 0
    private var hasZero = false

    func contains(_ hash: UInt64) -> Bool {
        if hash == 0 { return hasZero }
        return !places.isEmpty && places[place(of: hash)] == hash
    }

    /// - Returns: false where it is there already.
    @discardableResult
    mutating func insert(_ hash: UInt64) -> Bool {
        if hash == 0 {
            defer { hasZero = true }
            return !hasZero
        }
        if count * 3 >= places.count * 2 { grow() }
        let place = place(of: hash)
        guard places[place] == 0 else { return false }
        places[place] = hash
        count += 1
        return true
    }

    /// Where the hash stands, or would. There is a free place always.
    private func place(of hash: UInt64) -> Int {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while places[place] != 0, places[place] != hash { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = places
        places = Array(repeating: 0, count: max(16, old.count * 2))
        for hash in old where hash != 0 { places[place(of: hash)] = hash }
    }
}
