// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Families of clients, whose members may redeem each other's refresh tokens.
///
/// The newest app metadata says which family a client belongs to, separately for each cloud. Without metadata the
/// family is unknown, so the client tries the assumed one. Metadata without a family means that the client belongs to
/// none.
package enum ClientFamily {
    /// The family of a family token that names none, and the family that a client without metadata tries.
    package static let assumed: UTF8Text = "1"

    /// Whether a credential of this kind is a refresh token shared by a family. An ADAL item that names a family is not
    /// shared: it belongs to the client that obtained it, although members redeem it as a last resort.
    @inlinable
    package static func sharesToken(_ kind: EntryKind, namesFamily: Bool) -> Bool {
        kind == .familyRefreshToken || kind == .refreshToken && namesFamily
    }

    /// Whether a client belongs to the family of a token. `own` is the family in the client's app metadata, empty for
    /// none; `family` is empty if the token names none.
    package static func isMember(of family: RawSpan, own: RawSpan) -> Bool {
        if own.isEmpty { return false }
        return family.isEmpty ? own.isEqual(to: assumed.bytes) : own.isEqual(to: family)
    }

    /// Whether a client without app metadata tries the tokens of a family.
    package static func isTriedByUnknown(_ family: RawSpan) -> Bool {
        family.isEmpty || family.isEqual(to: assumed.bytes)
    }
}

extension CredentialView {
    /// Whether this is a refresh token shared by a family of clients.
    @inlinable
    package var isFamilyToken: Bool {
        entryKind.map { ClientFamily.sharesToken($0, namesFamily: namesFamily) } ?? false
    }
}

extension CredentialFields {
    /// The family whose members share the refresh token; nil for a token of one client.
    package var sharingFamily: UTF8Text? { isFamilyToken ? familyID ?? ClientFamily.assumed : nil }
}
