/// The scopes of a token or of a request: a set that ignores the case of A-Z and remembers the order it was given in.
///
/// What subset tests need is worked out at the first test, in some hundred nanoseconds. A copy is one reference, so
/// equal sets are worth sharing.
package struct ScopeSet: Sendable {
    private let storage: ScopeSetStorage

    /// Scopes that ask for the shape of the answer, not for access to a resource.
    package static let reservedNames: [UTF8Text] = ["openid", "profile", "offline_access"]

    /// Splits at ASCII white space. Constant strings such as `https://host//.default` stay as they are.
    package init(_ text: UTF8Text) {
        storage = ScopeSetStorage(text)
    }

    /// The scopes in their order. A scope with white space inside counts as several.
    package init(_ scopes: [String]) {
        self.init(UTF8Text(scopes.joined(separator: " ")))
    }

    /// As it was given, fit for `target`: never sorted.
    package var text: UTF8Text { storage.text }

    /// One by one, in the order and case they were given, with repetitions.
    package var scopes: [UTF8Text] {
        let bytes = storage.text.bytes
        var scopes: [UTF8Text] = []
        ScopeMembers.forEachScope(in: bytes) { range in
            if let scope = UTF8Text(utf8: bytes.extracting(range)) { scopes.append(scope) }
        }
        return scopes
    }

    private var members: ScopeMembers { storage.members }

    /// Number of different scopes.
    package var count: Int { members.all.count }

    package var isEmpty: Bool { storage.text.isBlank }

    /// Whether nothing but reserved scopes is in it. False for the empty set.
    package var isReservedOnly: Bool { members.hasReserved && !members.hasOrdinary }

    /// Whether each scope is in `other` too, reserved ones included.
    package func isSubset(of other: ScopeSet) -> Bool {
        storage === other.storage || other.members.contains(members, skippingReserved: false)
    }

    /// Whether a token with these scopes serves a request for `requested`.
    ///
    /// Reserved scopes of the request count only where nothing else is asked for. An empty request is served by
    /// nothing.
    package func satisfies(_ requested: ScopeSet) -> Bool {
        if requested.isEmpty { return false }
        if storage === requested.storage { return true }
        let wanted = requested.members
        return members.contains(wanted, skippingReserved: wanted.hasOrdinary)
    }

    /// Whether a scope is in both. Reserved scopes count only where both sets hold nothing else.
    package func intersects(_ other: ScopeSet) -> Bool {
        // A renewal brings what was asked for, spelled the same.
        if storage === other.storage || text == other.text { return !isEmpty }
        let (mine, theirs) = (members, other.members)
        if mine.bits & theirs.bits == 0 { return false }
        let reservedCount = !mine.hasOrdinary && !theirs.hasOrdinary
        return theirs.all.contains { member in
            (reservedCount || !member.isReserved) && mine.contains(member, of: theirs.folded.bytes)
        }
    }

    package func contains(_ scope: UTF8Text) -> Bool {
        let folded = scope.asciiLowercased()
        let member = ScopeMembers.Member(folded.bytes, 0..<folded.byteCount)
        return members.contains(member, of: folded.bytes)
    }

    /// Without the reserved scopes, order kept.
    package func withoutReserved() -> ScopeSet {
        guard members.hasReserved else { return self }
        return ScopeSet(scopes.filter { !ScopeSet.reservedNames.contains($0.asciiLowercased()) }.map(\.string))
    }
}

extension ScopeSet: Hashable {
    /// Whether both hold the same scopes, whatever their order and case.
    package static func == (left: ScopeSet, right: ScopeSet) -> Bool {
        left.storage === right.storage
            || left.count == right.count && left.isSubset(of: right)
    }

    package func hash(into hasher: inout Hasher) {
        for member in members.all { hasher.combine(member.hash) }
    }
}

extension ScopeSet: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) {
        self.init(UTF8Text(value))
    }

    package var description: String { text.string }
}
