// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The fields of one entry of any kind that lookups compare, in comparable form: decoded directly from encoded facts,
/// in one pass.
///
/// Identities are trimmed and folded A-Z, and nil if nothing is left, but that of an account at an issuer is not folded; key
/// ids and isolation are unmodified. Times are
/// whole seconds since 1970, except one whose name says otherwise.
package struct CredentialFields: Hashable, Sendable {
    package var kind: EntryKind
    /// With the issuer, if there is one: see ``HomeAccountID``.
    package var homeAccountID: UTF8Text?
    /// Empty if the entry has none.
    package var environment: UTF8Text = ""
    package var realm: UTF8Text?
    /// Empty if the entry has none, which only accounts may.
    package var clientID: UTF8Text = ""
    /// Nil if it is missing, null or blank: not in a family.
    package var familyID: UTF8Text?
    /// The granted scopes; for a refresh token, those that its SDK recorded.
    package var target: ScopeSet?
    /// Folded. If the entry names none, `bearer`, or the name of its kind if that says that it is no bearer token.
    package var tokenType: UTF8Text = CredentialFields.bearer
    package var keyID: UTF8Text?
    /// The parts that isolate it from plain tokens, as written. For extra key components and for a resource, the hash
    /// that MSAL Python and Go would have written; for a part of the key that no member explains, that part.
    package var isolation = Isolation<UTF8Text?>.none
    /// Whether this library saved it as a token that an application obtained for itself.
    package var isOfApplication = false
    package var username: UTF8Text?
    package var localAccountID: UTF8Text?
    package var cachedAt: Int64?
    package var expiresOn: Int64?
    package var extendedExpiresOn: Int64?
    package var refreshOn: Int64?
    package var lastModificationMicroseconds: Int64?

    package static let bearer: UTF8Text = "bearer"
    private static let unnamedScheme: UTF8Text = "accesstoken_with_authscheme"
}

extension CredentialFields {
    /// Empty fields of a kind, to be filled in.
    package init(kind: EntryKind) {
        self.init(kind: kind, environment: "")
    }

    package init(_ facts: EntryFacts) {
        var pool = FieldPool.none
        self.init(facts, sharing: &pool)
    }

    /// The same, reusing values from the pool.
    package init(_ facts: EntryFacts, sharing pool: inout FieldPool) {
        do throws(SchemaError) {
            try self.init(decoding: facts.encodedBytes, sharing: &pool)
        } catch {
            // Facts were validated when they were created.
            self.init(kind: facts.kind)
        }
    }

    /// Decodes facts without retaining them, reusing values from the pool: this is several times as fast, and equal
    /// values share memory.
    ///
    /// - Throws: as `EntryFacts.init(decoding:)`. Never traps.
    package init(decoding bytes: RawSpan, sharing pool: inout FieldPool) throws(SchemaError) {
        var reader = try FactsReader(bytes)
        if reader.kind == .legacySingleResourceToken {
            self.init(legacy: try EntryFacts(decoding: bytes))
            return
        }
        self.init(kind: reader.kind)
        var alternates = Alternates()
        while let member = try reader.next() {
            guard let name = member.name else { continue }
            switch name {
            case .homeAccountID:
                alternates.subject = member
                homeAccountID = reader.normalizedText(member, &pool)
            case .issuer: alternates.issuer = reader.text(member).flatMap(HomeAccountID.named)
            case .environment: environment = reader.normalizedText(member, &pool) ?? ""
            case .realm: realm = reader.normalizedText(member, &pool)
            case .clientID: clientID = reader.normalizedText(member, &pool) ?? ""
            case .familyID: familyID = reader.normalizedText(member, &pool)
            case .target: target = reader.scopes(member, &pool)
            case .tokenType: alternates.tokenType = reader.tokenType(member)
            case .accessTokenType: alternates.otherTokenType = reader.tokenType(member)
            case .kid, .keyID, .keyid: alternates.keyID.offer(name, reader.nonblankText(member))
            case .ext, .additionalCacheKeyComponents: alternates.components = reader.object(member)
            case .legacyResource where kind.isAccessToken: alternates.resource = reader.nonblankText(member)
            case .username: username = reader.normalizedText(member, &pool)
            case .localAccountID: localAccountID = reader.normalizedText(member, &pool)
            case .cachedAt: cachedAt = reader.seconds(member)
            case .expiresOn: expiresOn = reader.seconds(member)
            case .extendedExpiresOn: extendedExpiresOn = reader.seconds(member) ?? extendedExpiresOn
            case .extExpiresOn: extendedExpiresOn = extendedExpiresOn ?? reader.seconds(member)
            case .refreshOn: refreshOn = reader.seconds(member)
            case .lastModificationTime: lastModificationMicroseconds = reader.microseconds(member)
            case .applicationToken: isOfApplication = reader.isTrue(member)
            default:
                if let part = name.isolationPart {
                    alternates.isolation[part].offer(name, reader.nonblankText(member))
                }
            }
        }
        finish(alternates)
        if let issuer = alternates.issuer, let subject = alternates.subject {
            homeAccountID = HomeAccountID.comparable(reader.text(subject), issuer: issuer)
        } else {
            homeAccountID = homeAccountID.map(HomeAccountID.plain)
        }
        if kind.isAccessToken, isolation.extendedKey == nil, let key = reader.key {
            isolation.extendedKey = unexplainedPart(ofKey: key, in: bytes)
        }
    }

    private mutating func finish(_ alternates: Alternates) {
        keyID = alternates.keyID.value
        isolation = alternates.isolation.map { $0.value }
        let type = alternates.tokenType
        if let type, type != CredentialFields.bearer {
            tokenType = type
        } else if let type = alternates.otherTokenType ?? type {
            tokenType = type
        } else if kind == .accessTokenWithAuthScheme {
            tokenType = CredentialFields.unnamedScheme
        }
        // Of the hashes, only that of Python and Go is sure to be in this form.
        if alternates.isolation.extendedKey.name != .extCacheKey || alternates.resource != nil {
            let components = ExtendedKey.comparable(json: alternates.components, resource: alternates.resource)
            isolation.extendedKey = components ?? isolation.extendedKey
        }
    }

    /// Members with several spellings, while they are read.
    private struct Alternates {
        /// The home account id as written, if there is an issuer.
        var subject: FactsReader.Member?
        var issuer: UTF8Text?
        var tokenType: UTF8Text?
        var otherTokenType: UTF8Text?
        var keyID = PreferredMember()
        var isolation = Isolation(repeating: PreferredMember())
        var components: [UInt8]?
        var resource: UTF8Text?
    }
}

extension FactsReader {
    /// The text, trimmed and folded; nil if nothing is left.
    fileprivate func normalizedText(_ member: Member, _ pool: inout FieldPool) -> UTF8Text? {
        if member.form == .plainString { return pool.normalizedText(bytes.extracting(member.range)) }
        return text(member).map { $0.normalized() }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The same without a pool.
    func normalizedText(_ member: Member) -> UTF8Text? {
        var pool = FieldPool.none
        return normalizedText(member, &pool)
    }

    fileprivate func scopes(_ member: Member, _ pool: inout FieldPool) -> ScopeSet? {
        if member.form == .plainString { return pool.scopeSet(bytes.extracting(member.range)) }
        return text(member).map { ScopeSet($0) }
    }

    /// Nil if it names none.
    fileprivate func tokenType(_ member: Member) -> UTF8Text? {
        if member.form == .plainString, bytes.extracting(member.range).isEqual(to: "Bearer".rawSpan) {
            return CredentialFields.bearer
        }
        let type = text(member)?.normalized()
        return type.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The unmodified text; nil if it is only white space.
    fileprivate func nonblankText(_ member: Member) -> UTF8Text? {
        text(member).flatMap { $0.isBlank ? nil : $0 }
    }

    /// Whether the value is the JSON `true`.
    fileprivate func isTrue(_ member: Member) -> Bool {
        member.form == .rawJSON && bytes.extracting(member.range).isEqual(to: "true".rawSpan)
    }

    /// The raw JSON of an object.
    fileprivate func object(_ member: Member) -> [UInt8]? {
        guard member.form == .rawJSON, bytes.byte(at: member.range.lowerBound) == ASCII.openBrace else { return nil }
        return bytes.extracting(member.range).copied()
    }
}
