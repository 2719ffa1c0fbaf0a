/// Finds the member that a name stands for, without building text.
struct MemberNameTable: Sendable {
    static let shared = MemberNameTable()

    /// 32 bytes of a name with zeros behind it, and what it stands for; an empty slot has no length.
    private struct Slot: Sendable {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var count = 0
        var name: MemberName = .secret
    }

    private var slots = [Slot](repeating: Slot(), count: 256)
    private var names = [[UInt8]](repeating: [], count: 256)
    private static let longestName = 32

    private init() {
        for name in MemberName.allCases {
            let text = Array("\(name.text)".utf8)
            // Constants of this module: a test looks up each of them.
            assert(text.count <= MemberNameTable.longestName)
            names[Int(name.rawValue)] = text
            let words = MemberNameTable.words(text.raw)
            var index = MemberNameTable.firstSlot(words, text.count)
            while slots[index].count != 0 { index = (index + 1) & 255 }
            slots[index] = Slot(words: words, count: text.count, name: name)
        }
    }

    /// The member of exactly that name.
    func name(_ bytes: RawSpan) -> MemberName? {
        let count = bytes.byteCount
        guard count > 0, count <= MemberNameTable.longestName else { return nil }
        let words = MemberNameTable.words(bytes)
        var index = MemberNameTable.firstSlot(words, count)
        while slots[index].count != 0 {
            if slots[index].count == count, slots[index].words == words { return slots[index].name }
            index = (index + 1) & 255
        }
        return nil
    }

    /// The name as it stands in the JSON.
    func bytes(of name: MemberName) -> [UInt8] { names[Int(name.rawValue)] }

    @inline(__always)
    private static func words(_ bytes: RawSpan) -> (UInt64, UInt64, UInt64, UInt64) {
        let count = bytes.byteCount
        return (
            bytes.partialWord(0, count: count), bytes.partialWord(8, count: count - 8),
            bytes.partialWord(16, count: count - 16), bytes.partialWord(24, count: count - 24)
        )
    }

    @inline(__always)
    private static func firstSlot(_ words: (UInt64, UInt64, UInt64, UInt64), _ count: Int) -> Int {
        let mixed = (words.0 ^ words.1 &* 31 ^ words.2 &* 1021 ^ words.3 &* 65521) &* 0x9E37_79B9_7F4A_7C15
        return Int((mixed &+ UInt64(count) << 56) >> 56)
    }
}
