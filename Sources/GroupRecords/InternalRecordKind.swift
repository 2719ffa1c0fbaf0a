// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// The kinds of internal records, which the engine keeps beside the entries of documents. They are never exported.
package enum InternalRecordKind: UInt8, Sendable, CaseIterable {
    /// Whether one client is signed in to one account; in the account's partition.
    case signInState = 128
    /// When and by which client an account was last wiped; in the account's partition.
    case accountWipe = 129
    /// When and by which client anything in the group was last removed; in the group's partition, once.
    case lastRemoval = 130
    /// The account that one client last used; in the group's partition.
    case principalAccount = 131
    /// A server's refusal; in the account's partition, or in the group's if it concerns no account.
    case refusal = 132
    /// The tenant to which a name other than its id resolves, for one account in one cloud; in the account's partition.
    case tenantNote = 133
    /// The result of instance discovery; in the group's partition, once.
    case cloudMetadata = 134
    /// The issuers at which users signed in, and the clients of protected resources; in the group's partition, once.
    case authorities = 135
    /// The process that asks the user to sign in for one client or family at one authority; in the group's partition.
    case interaction = 136
    /// A refresh token that a sign-out removed and that is not revoked yet; in the group's partition. The only internal
    /// record with a secret.
    case pendingRevocation = 137

    /// The lowest number of an internal record's kind.
    package static let first: UInt8 = 128

    package var recordKind: RecordKind { RecordKind(rawValue: rawValue) }
}

extension InternalRecordKind {
    /// Whether lookups compare records of the kind, so that each has a row of facts.
    package var isComparedByLookups: Bool {
        switch self {
        case .signInState, .tenantNote: true
        case .accountWipe, .lastRemoval, .principalAccount, .refusal, .cloudMetadata, .authorities, .interaction,
            .pendingRevocation:
            false
        }
    }

    /// Whether listing accounts reads all records of the kind.
    package var isReadByAccountLists: Bool {
        switch self {
        case .signInState: true
        case .accountWipe, .lastRemoval, .principalAccount, .refusal, .tenantNote, .cloudMetadata, .authorities,
            .interaction, .pendingRevocation:
            false
        }
    }

    /// Whether the record says what was removed, and therefore stays when all other records of an account are removed.
    package var outlivesWipe: Bool {
        switch self {
        case .signInState, .accountWipe: true
        case .lastRemoval, .principalAccount, .refusal, .tenantNote, .cloudMetadata, .authorities, .interaction,
            .pendingRevocation:
            false
        }
    }
}

extension RecordKind {
    /// Whether the record is internal: preserved by an import, omitted from an export.
    package var isInternalRecord: Bool { rawValue >= InternalRecordKind.first }

    /// The same as ``InternalRecordKind/outlivesWipe``; false for entries.
    package var outlivesWipe: Bool { InternalRecordKind(rawValue: rawValue)?.outlivesWipe == true }

    /// Whether the record says which hosts belong to one cloud.
    package var isCloudMetadata: Bool { self == InternalRecordKind.cloudMetadata.recordKind }

    /// Whether the record contains the issuers of sign-ins and the clients of protected resources.
    package var isOfAuthorities: Bool { self == InternalRecordKind.authorities.recordKind }

    /// Whether the record says which process asks the user to sign in.
    package var isInteraction: Bool { self == InternalRecordKind.interaction.recordKind }

    /// Whether the record contains a refresh token that is not revoked yet.
    package var isPendingRevocation: Bool { self == InternalRecordKind.pendingRevocation.recordKind }

    /// Whether the record is about a server's refusal.
    package var isRefusal: Bool { self == InternalRecordKind.refusal.recordKind }

    /// Whether the record says to which tenant a name resolves.
    package var isTenantNote: Bool { self == InternalRecordKind.tenantNote.recordKind }
}
