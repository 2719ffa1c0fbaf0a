// SPDX-License-Identifier: Apache-2.0

/// The scopes of a token or of a request: a set that ignores the case of A-Z and remembers the given order.
///
/// The data for subset tests is computed at the first test. A copy is one reference, so sharing equal sets pays off.
package struct ScopeSet: Sendable {
    private let storage: ScopeSetStorage

    /// Splits at ASCII white space. Scopes such as `https://host//.default` stay as they are.
    package init(_ text: UTF8Text) {
        storage = ScopeSetStorage(text)
    }

    /// Creates the set from scopes in order. A scope that contains white space counts as several.
    package init(_ scopes: [String]) {
        self.init(UTF8Text(scopes.joined(separator: " ")))
    }

    /// The scopes as given, as in `target`: never sorted.
    package var text: UTF8Text { storage.text }

    /// The individual scopes in the given order and case, with repetitions.
    package var scopes: [UTF8Text] { storage.scopes }

    var members: ScopeSetStorage.Members { storage.members }

    /// The number of distinct scopes.
    package var count: Int { members.openID.count + members.ordinary.count }

    package var isEmpty: Bool { storage.text.isBlank }

    /// Whether each scope is also in `other`, including OpenID scopes.
    package func isSubset(of other: ScopeSet) -> Bool {
        if storage === other.storage { return true }
        let (mine, theirs) = (members, other.members)
        return mine.ordinary.isSubset(of: theirs.ordinary) && mine.openID.isSubset(of: theirs.openID)
    }
}

extension ScopeSet: Hashable {
    /// Whether both contain the same scopes, in any order and case.
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
