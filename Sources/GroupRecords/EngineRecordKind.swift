package import RecordStorage

/// Kinds of the records that the engine keeps for itself, beside the entries of documents. None of them is ever exported.
package enum EngineRecordKind: UInt8, Sendable, CaseIterable {
    /// Whether one client is signed in to one account; in the account's partition.
    case signInState = 128
    /// When an account was wiped last, and by whom; in the account's partition.
    case accountWipe = 129
    /// When anything was removed last in the whole group, and by whom; in the group's partition, once.
    case lastRemoval = 130
    /// The account that one client worked with last; in the group's partition.
    case principalAccount = 131
    /// That a server refused something; in the account's partition, or in the group's where it concerns no account.
    case refusal = 132
    /// What another text for a tenant than its id means for one account in one cloud; in the account's partition.
    case tenantNote = 133
    /// What discovery said of clouds; in the group's partition, once.
    case cloudMetadata = 134

    /// The first kind that is no entry's.
    package static let first: UInt8 = 128

    package var recordKind: RecordKind { RecordKind(rawValue: rawValue) }
}

extension RecordKind {
    /// Whether the record is one of the engine's own: kept at import, left out at export.
    package var isEngineRecord: Bool { rawValue >= EngineRecordKind.first }

    /// Whether it says which hosts are one cloud.
    package var isCloudMetadata: Bool { self == EngineRecordKind.cloudMetadata.recordKind }

    /// Whether it says that a server refused something.
    package var isRefusal: Bool { self == EngineRecordKind.refusal.recordKind }

    /// Whether it says what a text for a tenant means.
    package var isTenantNote: Bool { self == EngineRecordKind.tenantNote.recordKind }
}
