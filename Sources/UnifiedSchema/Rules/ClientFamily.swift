internal import ByteOperations

/// Families of clients: members spend each other's refresh tokens.
///
/// Which family a client is in, cloud by cloud, is what its newest app metadata says. No metadata means that nothing is
/// known: such a client tries the family that is assumed. Metadata without a family means that the client is in none.
package enum ClientFamily {
    /// The family of a family's token that does not name it, and the one that a client of which nothing is known tries.
    package static let assumed: UTF8Text = "1"

    /// Whether a credential of this kind is a refresh token that a family shares. An item of ADAL that names a family
    /// is none: it belongs to the client that got it, though members spend it as a last choice.
    @inlinable
    package static func sharesToken(_ kind: EntryKind, namesFamily: Bool) -> Bool {
        kind == .familyRefreshToken || kind == .refreshToken && namesFamily
    }

    /// Whether a client whose app metadata names the family `own`, nothing for none, is a member of the family of a
    /// token, which is empty where the token does not name it.
    package static func isMember(of family: RawSpan, own: RawSpan) -> Bool {
        if own.isEmpty { return false }
        return family.isEmpty ? own.isEqual(to: assumed.bytes) : own.isEqual(to: family)
    }

    /// Whether a client of which nothing is known tries the tokens of a family.
    package static func isTriedByUnknown(_ family: RawSpan) -> Bool {
        family.isEmpty || family.isEqual(to: assumed.bytes)
    }
}

extension CredentialView {
    /// Whether it is a refresh token that a family of clients shares.
    @inlinable
    package var isFamilyToken: Bool {
        entryKind.map { ClientFamily.sharesToken($0, namesFamily: namesFamily) } ?? false
    }
}

extension CredentialFields {
    /// The family whose members share the refresh token; nil for a token of one client.
    package var sharingFamily: UTF8Text? { isFamilyToken ? familyID ?? ClientFamily.assumed : nil }
}
