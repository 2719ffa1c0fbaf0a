// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// The state file of a group as lines, taken apart and put together as the format document says.
enum StoreLines {
    /// The lines with the checksum that belongs to them.
    static func sealed(_ lines: [String]) -> [UInt8] {
        let text = Array(lines.map { $0 + "\n" }.joined().utf8)
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        let sum = String(repeating: "0", count: 16 - digits.count) + digits
        return text + Array("sum \(sum)\n".utf8)
    }

    static func lines(of bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init).filter { !$0.hasPrefix("sum ") }
    }

    static func value(_ key: String, in bytes: [UInt8]) -> String? {
        lines(of: bytes).first { $0.hasPrefix(key + " ") }.map { String($0.dropFirst(key.count + 1)) }
    }

    /// Every line that a state file may have, with what may stand in it, what may not, and what leads elsewhere.
    static func values(_ key: String, _ neighbour: String, _ random: inout SeededGenerator) -> String {
        let common = ["", "file", "keyring", String(repeating: "a", count: 16_000), "%00", "%", "-1", "\u{7F}"]
        let own: [String] =
            switch key {
            case "storage", "moving-to", "left-in": ["file", "file", "keyring", "keyring", "memory"]
            case "group": [neighbour, neighbour, neighbour, "00000000-0000-0000-0000-000000000000"]
            case "phase": ["creating", "ready", "moving", "moving"]
            case "key-file":
                [
                    "/dev/zero", "/etc/passwd", "../../etc/passwd", "/dev/shm", "journal",
                    "/nonexistent/\(random.next())",
                ]
            case "collection", "moving-to-collection", "left-in-collection": ["login", "session", "nobody's"]
            case "anchor": ["pending", "no"]
            default: ["1", "2", "0"]
            }
        return random.once(in: 8) ? random.pick(common) : random.pick(own)
    }

    static let keys = [
        "storage", "reason", "group", "phase", "folder", "key-file", "collection", "anchor", "moving-to",
        "moving-to-collection",
        "left-in", "left-in-collection", "later-line",
    ]

    /// Changes one to three lines.
    static func mutated(_ bytes: [UInt8], neighbour: String, _ random: inout SeededGenerator) -> (String, [UInt8]) {
        var lines = lines(of: bytes)
        var words: [String] = []
        for _ in 0..<random.pick(1, 1, 2, 3) {
            // What takes records elsewhere comes more often: the most is at stake there.
            let key = random.once(in: 2) ? random.pick("left-in", "moving-to", "phase", "group") : random.pick(keys)
            let line = "\(key) \(values(key, neighbour, &random))"
            let location = lines.firstIndex { $0.hasPrefix(key + " ") }
            words.append(line.count > 60 ? "\(key) …" : line)
            switch (random.pick("set", "set", "set", "set", "remove", "double", "swap"), location) {
            case ("remove", let location?):
                lines.remove(at: location)
                words.append("removed")
            case ("double", let location?):
                lines.insert(line, at: location)
                words.append("doubled")
            case ("swap", let location?):
                lines.swapAt(location, Int.random(in: lines.indices, using: &random))
                words.append("moved")
            case (_, let location?): lines[location] = line
            case (_, nil): lines.append(line)
            }
        }
        let whole = random.once(in: 10) ? lines.map { $0 + "\n" }.joined().utf8.map(\.self) : sealed(lines)
        return (words.joined(separator: ", "), whole)
    }
}
