/// The scopes of a token or of a request: a set that ignores the case of A-Z and remembers the order it was given in.
///
/// What subset tests need is worked out once. A copy is one reference, so equal sets are worth sharing.
package struct ScopeSet: Sendable {
    private let storage: Storage

    private final class Storage: Sendable {
        let text: UTF8Text
        let scopes: [UTF8Text]
        /// Folded, without duplicates, in ascending order of their hashes.
        let members: [Member]
        /// One bit per member, from its hash: a set that lacks a bit of another cannot contain it.
        let bits: UInt64
        let hasReserved: Bool
        let hasOrdinary: Bool

        init(text: UTF8Text, scopes: [UTF8Text]) {
            self.text = text
            self.scopes = scopes
            var seen: Set<Member> = []
            for scope in scopes {
                seen.insert(Member(scope.asciiLowercased()))
            }
            members = seen.sorted { ($0.hash, $0.name) < ($1.hash, $1.name) }
            bits = members.reduce(0) { $0 | $1.bit }
            hasReserved = members.contains { $0.isReserved }
            hasOrdinary = members.contains { !$0.isReserved }
        }
    }

    private struct Member: Hashable, Sendable {
        let name: UTF8Text
        let hash: UInt64
        let isReserved: Bool

        init(_ folded: UTF8Text) {
            name = folded
            hash = folded.bytes.spreadHash()
            isReserved = ScopeSet.reservedNames.contains(folded)
        }

        var bit: UInt64 { 1 << (hash >> 58) }
    }

    /// Scopes that ask for the shape of the answer, not for access to a resource.
    package static let reservedNames: [UTF8Text] = ["openid", "profile", "offline_access"]

    /// Splits at ASCII white space. Constant strings such as `https://host//.default` stay as they are.
    package init(_ text: UTF8Text) {
        storage = Storage(text: text, scopes: ScopeSet.split(text))
    }

    /// The scopes in their order. A scope with white space inside counts as several.
    package init(_ scopes: [String]) {
        self.init(UTF8Text(scopes.joined(separator: " ")))
    }

    /// As it was given, fit for `target`: never sorted.
    package var text: UTF8Text { storage.text }

    /// One by one, in the order and case they were given, with repetitions.
    package var scopes: [UTF8Text] { storage.scopes }

    /// Number of different scopes.
    package var count: Int { storage.members.count }

    package var isEmpty: Bool { storage.members.isEmpty }

    /// Whether nothing but reserved scopes is in it. False for the empty set.
    package var isReservedOnly: Bool { storage.hasReserved && !storage.hasOrdinary }

    /// Whether each scope is in `other` too, reserved ones included.
    package func isSubset(of other: ScopeSet) -> Bool {
        if storage === other.storage { return true }
        return other.contains(storage.members, skippingReserved: false)
    }

    /// Whether a token with these scopes serves a request for `requested`.
    ///
    /// Reserved scopes of the request count only where nothing else is asked for. An empty request is served by
    /// nothing.
    package func satisfies(_ requested: ScopeSet) -> Bool {
        if requested.isEmpty { return false }
        if storage === requested.storage { return true }
        return contains(requested.storage.members, skippingReserved: requested.storage.hasOrdinary)
    }

    /// Whether a scope is in both. Reserved scopes count only where both sets hold nothing else.
    package func intersects(_ other: ScopeSet) -> Bool {
        let reservedCount = !storage.hasOrdinary && !other.storage.hasOrdinary
        if storage.bits & other.storage.bits == 0 { return false }
        return other.storage.members.contains { member in
            (reservedCount || !member.isReserved) && contains(member)
        }
    }

    package func contains(_ scope: UTF8Text) -> Bool {
        contains(Member(scope.asciiLowercased()))
    }

    /// Without the reserved scopes, order kept.
    package func withoutReserved() -> ScopeSet {
        guard storage.hasReserved else { return self }
        return ScopeSet(
            storage.scopes.filter { !ScopeSet.reservedNames.contains($0.asciiLowercased()) }.map(\.string)
        )
    }

    private func contains(_ members: [Member], skippingReserved: Bool) -> Bool {
        for member in members {
            if skippingReserved, member.isReserved { continue }
            if storage.bits & member.bit == 0 || !contains(member) { return false }
        }
        return true
    }

    private func contains(_ wanted: Member) -> Bool {
        let members = storage.members
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].hash < wanted.hash { low = middle + 1 } else { high = middle }
        }
        while low < members.count, members[low].hash == wanted.hash {
            if members[low].name == wanted.name { return true }
            low += 1
        }
        return false
    }

    private static func split(_ text: UTF8Text) -> [UTF8Text] {
        let bytes = text.bytes
        var scopes: [UTF8Text] = []
        var start = 0
        for end in 0...bytes.byteCount where end == bytes.byteCount || ASCII.isWhitespace(bytes.byte(end)) {
            if end > start, let scope = UTF8Text(utf8: bytes.extracting(start..<end)) {
                scopes.append(scope)
            }
            start = end + 1
        }
        return scopes
    }
}

extension ScopeSet: Hashable {
    /// Whether both hold the same scopes, whatever their order and case.
    package static func == (left: ScopeSet, right: ScopeSet) -> Bool {
        left.storage === right.storage || left.storage.members == right.storage.members
    }

    package func hash(into hasher: inout Hasher) {
        for member in storage.members { hasher.combine(member.hash) }
    }
}

extension ScopeSet: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) {
        self.init(UTF8Text(value))
    }

    package var description: String { text.string }
}
