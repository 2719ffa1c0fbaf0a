// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the machine itself needs, measured beside our own figures in the same run.
public enum Floor {
    /// Appends `bytes` to a file and makes them durable, `rounds` times.
    ///
    /// - Returns: seconds of each round.
    public static func appends(of bytes: [UInt8], rounds: Int, in folder: String, between: (Int) -> Void) -> [Double] {
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

    /// Probes of a dictionary with ready-made keys of 128 bits: the least that any lookup by key costs.
    public struct DictionaryProbe {
        private let table: [Key128: Int]
        private let keys: [Key128]
        private let order: [Int]

        /// A dictionary of `count` keys that are looked up in `order`.
        public init(count: Int, order: [Int]) {
            keys = (0..<count).map(Key128.init)
            table = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
            self.order = order
        }

        /// Nanoseconds of one probe, on average over the whole order.
        public func nanoseconds() -> Double {
            let watch = Stopwatch()
            var sum = 0
            for index in order { sum &+= table[keys[index]] ?? 0 }
            blackHole(sum)
            return watch.seconds / Double(order.count) * 1e9
        }
    }
}

extension Floor {
    /// One round visits objects as large as a prepared query and its answer, each pair in `order`: both are retained, read
    /// and released, one found by the other, and nothing is looked up. So much any answer takes that a query leads to
    /// and that is handed out with a reference of its own.
    public static func visits(of count: Int, in order: [Int]) -> Operation {
        let objects = (0..<count).map(VisitedQuery.init)
        return Operation("visits-in-order", rounds: 1) { _ in
            var sum: UInt64 = 0
            for index in order { sum &+= objects[index].visit() }
            blackHole(sum)
        }
    }
}

/// 64 bytes, and the way to more.
private final class VisitedQuery: Sendable {
    private let answer: VisitedAnswer
    private let content: InlineArray<5, UInt64>

    init(_ index: Int) {
        content = InlineArray(repeating: UInt64(truncatingIfNeeded: index))
        answer = VisitedAnswer(index)
    }

    @inline(never)
    func visit() -> UInt64 {
        let own = Unmanaged.passRetained(self)
        defer { own.release() }
        return content[0] &+ answer.visit()
    }
}

/// 160 bytes, of which the first 80 are read.
private final class VisitedAnswer: Sendable {
    private let content: InlineArray<18, UInt64>

    init(_ index: Int) {
        content = InlineArray(repeating: UInt64(truncatingIfNeeded: index))
    }

    @inline(never)
    func visit() -> UInt64 {
        let own = Unmanaged.passRetained(self)
        defer { own.release() }
        return content[0] &+ content[7]
    }
}

/// A key that needs no string: what a lookup by hash has at least.
private struct Key128: Hashable {
    let first: UInt64
    let second: UInt64

    init(_ index: Int) {
        var random = UInt64(index) &* 0x9e37_79b9_7f4a_7c15
        random ^= random >> 29
        first = random &* 0xbf58_476d_1ce4_e5b9
        second = random
    }
}
