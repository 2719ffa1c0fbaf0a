// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
internal import RecordStorage

/// An internal record with its facts opened.
package final class InternalRecord: Sendable {
    let record: StoredRecord
    package let content: Content

    /// The content of an internal record.
    package enum Content: Sendable {
        case signInState(SignInRecord)
        case accountWipe(Tombstone)
        case lastRemoval(Tombstone)
        case principalAccount(PrincipalAccount)
        case refusal(RefusalNote)
        case tenantNote(TenantNote)
        case cloudMetadata(StoredClouds)
        case authorities(StoredAuthorities)
        case interaction(InteractionNote)
        case pendingRevocation(RevocationNote)
        /// A kind that this version does not know.
        case unknown
    }

    /// Decodes the plaintext of a facts box.
    ///
    /// - Throws: `damaged` for facts that this format cannot produce, `unsupportedVersion` for a later version.
    init(_ record: StoredRecord, _ bytes: [UInt8]) throws(StorageError) {
        self.record = record
        content =
            switch InternalRecordKind(rawValue: record.kind.rawValue) {
            case .signInState: .signInState(try SignInRecord(decoding: bytes))
            case .accountWipe: .accountWipe(try Tombstone(decoding: bytes))
            case .lastRemoval: .lastRemoval(try Tombstone(decoding: bytes))
            case .principalAccount: .principalAccount(try PrincipalAccount(decoding: bytes))
            case .refusal: .refusal(try RefusalNote(decoding: bytes))
            case .tenantNote: .tenantNote(try TenantNote(decoding: bytes))
            case .cloudMetadata: .cloudMetadata(try StoredClouds(decoding: bytes))
            case .authorities: .authorities(try StoredAuthorities(decoding: bytes))
            case .interaction: .interaction(try InteractionNote(decoding: bytes))
            case .pendingRevocation: .pendingRevocation(try RevocationNote(decoding: bytes))
            case nil: .unknown
            }
    }
}
