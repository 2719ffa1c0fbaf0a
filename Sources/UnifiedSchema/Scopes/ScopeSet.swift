/// The scopes of a token or of a request: a set that ignores the case of A-Z and remembers the order it was given in.
///
/// What subset tests need is worked out at the first test. A copy is one reference, so equal sets are worth sharing.
package struct ScopeSet: Sendable {
    private let storage: ScopeSetStorage

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

    var members: ScopeSetStorage.Members { storage.members }

    /// The number of different scopes.
    package var count: Int { members.openID.count + members.ordinary.count }

    package var isEmpty: Bool { storage.text.isBlank }

    /// Whether each scope is in `other` too, OpenID ones included.
    package func isSubset(of other: ScopeSet) -> Bool {
        if storage === other.storage { return true }
        let (mine, theirs) = (members, other.members)
        return mine.ordinary.isSubset(of: theirs.ordinary) && mine.openID.isSubset(of: theirs.openID)
    }
}

extension ScopeSet: Hashable {
    /// Whether both hold the same scopes, whatever their order and case.
    package static func == (left: ScopeSet, right: ScopeSet) -> Bool {
        left.storage === right.storage || left.count == right.count && left.isSubset(of: right)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(members.ordinary)
        hasher.combine(members.openID)
    }
}

extension ScopeSet: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) {
        self.init(UTF8Text(value))
    }

    package var description: String { text.string }
}
