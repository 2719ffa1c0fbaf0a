/// The scopes of a token or of a request: a set that ignores the case of A-Z and remembers the order it was given in.
///
/// What subset tests need is worked out at the first test. A copy is one reference, so equal sets are worth sharing.
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
    package var scopes: [UTF8Text] { storage.scopes }

    private var members: ScopeSetStorage.Members { storage.members }

    /// Number of different scopes.
    package var count: Int { members.reserved.count + members.ordinary.count }

    package var isEmpty: Bool { storage.text.isBlank }

    /// Whether nothing but reserved scopes is in it. False for the empty set.
    package var isReservedOnly: Bool { !members.reserved.isEmpty && members.ordinary.isEmpty }

    /// Whether each scope is in `other` too, reserved ones included.
    package func isSubset(of other: ScopeSet) -> Bool {
        if storage === other.storage { return true }
        let (mine, theirs) = (members, other.members)
        return mine.ordinary.isSubset(of: theirs.ordinary) && mine.reserved.isSubset(of: theirs.reserved)
    }

    /// Whether a token with these scopes serves a request for `requested`.
    ///
    /// Reserved scopes of the request count only where nothing else is asked for. An empty request is served by
    /// nothing.
    package func satisfies(_ requested: ScopeSet) -> Bool {
        if requested.isEmpty { return false }
        if storage === requested.storage { return true }
        return requested.members.ordinary.isEmpty
            ? requested.isSubset(of: self) : requested.members.ordinary.isSubset(of: members.ordinary)
    }

    /// Whether a scope is in both. Reserved scopes count only where both sets hold nothing else.
    package func intersects(_ other: ScopeSet) -> Bool {
        // A renewal brings what was asked for, spelled the same.
        if storage === other.storage || text == other.text { return !isEmpty }
        let (mine, theirs) = (members, other.members)
        if mine.ordinary.isEmpty, theirs.ordinary.isEmpty { return !mine.reserved.isDisjoint(with: theirs.reserved) }
        return !mine.ordinary.isDisjoint(with: theirs.ordinary)
    }

    package func contains(_ scope: UTF8Text) -> Bool {
        let folded = scope.asciiLowercased()
        return members.ordinary.contains(folded) || members.reserved.contains(folded)
    }

    /// Without the reserved scopes, order kept.
    package func withoutReserved() -> ScopeSet {
        guard !members.reserved.isEmpty else { return self }
        return ScopeSet(scopes.filter { !ScopeSet.reservedNames.contains($0.asciiLowercased()) }.map(\.string))
    }
}

extension ScopeSet: Hashable {
    /// Whether both hold the same scopes, whatever their order and case.
    package static func == (left: ScopeSet, right: ScopeSet) -> Bool {
        left.storage === right.storage || left.count == right.count && left.isSubset(of: right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(members.ordinary)
        hasher.combine(members.reserved)
    }
}

extension ScopeSet: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) {
        self.init(UTF8Text(value))
    }

    package var description: String { text.string }
}
