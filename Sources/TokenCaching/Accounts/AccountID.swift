// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

extension Account {
    /// Identifies an account of a group: its home account id, or its username if an older library stored it without
    /// one.
    ///
    /// Two ids are equal if they differ only in the case of A-Z, as in every comparison by a cache; ids with an issuer are
    /// equal only byte for byte. Store the ``text`` of an id, or encode the id, to remember an account across launches.
    ///
    /// ```swift
    /// let id = Account.ID("00000000-0000-0000-66f3-3332eca7ea81.9188040d-6c67-4c5b-b112-36a304b66dad")
    /// let query = TokenQuery(accountID: id, scopes: ["User.Read"])
    /// ```
    public struct ID: Sendable {
        /// The id as stored or given, without leading and trailing white space: `uid.utid` from Microsoft's issuers,
        /// subject and issuer from others, as in `248289761001@https://id.example`.
        ///
        /// A subject is unique only at its issuer (OpenID Connect Core 5.7). A subject alone is a valid id as long as one
        /// account of the group has it; otherwise queries are answered with ``InteractionReason/severalAccounts``.
        public let text: String

        /// Creates an id from its text.
        public init(_ text: String) {
            // Queries are made from ids, and nearly every id is trimmed already.
            self.text = text.hasOuterWhiteSpace ? UTF8Text(text).trimmed().string : text
        }

        /// Creates an id from text that is already trimmed.
        init(trimmed text: String) {
            self.text = text
        }
    }
}

extension Account.ID {
    /// The issuer at which the account is a subject, as its id tokens name it; nil for an account of Microsoft's issuers, and
    /// for one whose issuer is unknown.
    public var issuer: String? { HomeAccountID.issuer(of: UTF8Text(text))?.string }

    /// The home account id without the issuer, as entries contain it.
    public var homeAccountID: String { HomeAccountID.subject(of: UTF8Text(text)).string }
}

extension Account.ID {
    /// Whether the account is the subject of an id that names no issuer, in any case.
    func isOf(subject id: Account.ID) -> Bool {
        HomeAccountID.isSubject(UTF8Text(id.text).normalized(), of: UTF8Text(text))
    }
}

extension String {
    /// Whether it begins or ends with ASCII white space.
    @inline(__always)
    fileprivate var hasOuterWhiteSpace: Bool {
        // SAFETY: the bytes are only read, inside the closure.
        unsafe utf8.withContiguousStorageIfAvailable { bytes in
            guard let first = unsafe bytes.first, let last = unsafe bytes.last else { return false }
            return ASCII.isWhitespace(first) || ASCII.isWhitespace(last)
        } ?? true
    }
}

extension Account.ID: Hashable {
    /// Whether the ids are equal without regard to the case of A-Z, or byte for byte if they name an issuer.
    public static func == (left: Account.ID, right: Account.ID) -> Bool {
        let isSame = left.text.utf8.elementsEqual(right.text.utf8) { ASCII.folded($0) == ASCII.folded($1) }
        return isSame && (left.issuer == nil || UTF8Text(left.text) == UTF8Text(right.text))
    }

    /// Hashes the id with A-Z folded to a-z.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(ASCII.folded(byte)) }
        hasher.combine(text.utf8.count)
    }
}

extension Account.ID: ExpressibleByStringLiteral {
    /// Creates an id from its text.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Account.ID: Codable {
    /// Decodes the text of an id.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text of the id.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Account.ID: CustomStringConvertible, CustomReflectable {
    /// The type's name, not the id: show or store ``text``.
    public var description: String { "Account.ID" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
