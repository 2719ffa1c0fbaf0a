import Glibc

/// What the machine itself needs, measured beside our own figures in the same run.
enum Floor {
    /// Appends `bytes` to a file and makes them durable, `rounds` times.
    ///
    /// - Returns: seconds of each round.
    static func appends(of bytes: [UInt8], rounds: Int, in folder: String, between: (Int) -> Void) -> [Double] {
        let path = folder + "/raw"
        let file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_TRUNC, 0o600)
        guard file >= 0 else { return [] }
        defer {
            close(file)
            unlink(path)
        }
        return (0..<rounds).map { round in
            let start = Stopwatch()
            _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            fdatasync(file)
            let seconds = start.seconds
            between(round)
            return seconds
        }
    }

    /// Nanoseconds of one probe of a dictionary of `count` keys of 128 bits, keys in random order.
    static func dictionaryProbe(count: Int, order: [Int]) -> Double {
        var table: [Key128: Int] = [:]
        table.reserveCapacity(count)
        let keys = (0..<count).map { index in
            var random = UInt64(index) &* 0x9e37_79b9_7f4a_7c15
            random ^= random >> 29
            return Key128(first: random &* 0xbf58_476d_1ce4_e5b9, second: random)
        }
        for (index, key) in keys.enumerated() { table[key] = index }
        var sum = 0
        return Stopwatch.nanoseconds(perRoundOf: order.count) {
            for index in order { sum &+= table[keys[index]] ?? 0 }
            blackHole(sum)
        }
    }
}

/// A key that needs no string: what a lookup by hash has at least.
struct Key128: Hashable {
    let first: UInt64
    let second: UInt64
}

/// Keeps the optimiser from dropping what was computed.
@inline(never)
func blackHole(_ value: Int) {}
