/// The members of a ``ScopeSet`` as places in its folded text, in an order that can be searched.
final class ScopeMembers: Sendable {
    let folded: UTF8Text
    /// Without duplicates, ascending by hash and then by bytes.
    let all: [Member]
    /// One bit per member, from its hash: a set that lacks a bit of another cannot contain it.
    let bits: UInt64
    let hasReserved: Bool
    let hasOrdinary: Bool

    /// One scope, as a place in a folded text.
    struct Member: Sendable {
        let hash: UInt64
        let start: Int
        let end: Int
        let isReserved: Bool

        init(_ bytes: RawSpan, _ range: Range<Int>) {
            hash = ScopeMembers.hash(bytes, range)
            start = range.lowerBound
            end = range.upperBound
            isReserved = ScopeMembers.isReserved(bytes, range)
        }

        var range: Range<Int> { start..<end }

        var bit: UInt64 { 1 << (hash >> 58) }
    }

    init(_ text: UTF8Text) {
        folded = text.asciiLowercased()
        let bytes = folded.bytes
        var members: [Member] = []
        members.reserveCapacity(8)
        ScopeMembers.forEachScope(in: bytes) { members.append(Member(bytes, $0)) }
        members.sort { ScopeMembers.precedes($0, bytes, $1, bytes) }
        var kept = 0
        for index in members.indices {
            if kept > 0, ScopeMembers.isSame(members[kept - 1], bytes, members[index], bytes) { continue }
            members[kept] = members[index]
            kept += 1
        }
        members.removeSubrange(kept...)
        bits = members.reduce(0) { $0 | $1.bit }
        hasReserved = members.contains { $0.isReserved }
        hasOrdinary = members.contains { !$0.isReserved }
        all = members
    }

    /// Whether a member of another set, of whose text `others` are the bytes, is in this one.
    func contains(_ wanted: Member, of others: RawSpan) -> Bool {
        if bits & wanted.bit == 0 { return false }
        let bytes = folded.bytes
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            let isBefore = ScopeMembers.precedes(all[middle], bytes, wanted, others)
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low < all.count && ScopeMembers.isSame(all[low], bytes, wanted, others)
    }

    func contains(_ other: ScopeMembers, skippingReserved: Bool) -> Bool {
        if !skippingReserved, other.bits & ~bits != 0 { return false }
        for member in other.all {
            if skippingReserved, member.isReserved { continue }
            if !contains(member, of: other.folded.bytes) { return false }
        }
        return true
    }

    /// Places of the runs between ASCII white space.
    static func forEachScope(in bytes: RawSpan, _ body: (Range<Int>) -> Void) {
        var start = 0
        for offset in 0..<bytes.byteCount where ASCII.isWhitespace(bytes.byte(offset)) {
            if offset > start { body(start..<offset) }
            start = offset + 1
        }
        if bytes.byteCount > start { body(start..<bytes.byteCount) }
    }

    private static func precedes(_ one: Member, _ bytes: RawSpan, _ other: Member, _ others: RawSpan) -> Bool {
        if one.hash != other.hash { return one.hash < other.hash }
        return bytes.extracting(one.range).precedes(others.extracting(other.range))
    }

    private static func isSame(_ one: Member, _ bytes: RawSpan, _ other: Member, _ others: RawSpan) -> Bool {
        one.hash == other.hash && bytes.extracting(one.range).isEqual(to: others.extracting(other.range))
    }

    /// Spreads scopes; equal hashes are told apart by bytes, so collisions cost little and decide nothing.
    private static func hash(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64 {
        var hash = UInt64(range.count)
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            hash = (hash ^ bytes.partialWord(offset, count: range.upperBound - offset)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        return hash &* 0xBF58_476D_1CE4_E5B9
    }

    private static func isReserved(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        guard range.count == 6 || range.count == 7 || range.count == 14 else { return false }
        let scope = bytes.extracting(range)
        return ScopeSet.reservedNames.contains { $0.bytes.isEqual(to: scope) }
    }
}
