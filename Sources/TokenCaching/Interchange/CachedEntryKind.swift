package import UnifiedSchema

/// What a stored entry is, under the names that the documents of other libraries use.
public struct CachedEntryKind: Hashable, Sendable {
    /// The name, stable and fit for programs: `AccessToken`, `Account`, `other`.
    public let name: String
    /// Where it stands in listings.
    private let order: UInt8

    package init(_ kind: EntryKind) {
        name =
            switch kind {
            case .account: "Account"
            case .appMetadata: "AppMetadata"
            case .accountMetadata: "AccountMetadata"
            case .opaque: "other"
            default: kind.typeString?.string ?? "other"
            }
        order = kind.rawValue
    }
}

extension CachedEntryKind: Comparable, CustomStringConvertible {
    /// The usual order of sections: tokens first, then accounts, then what this version gives no meaning to.
    public static func < (left: CachedEntryKind, right: CachedEntryKind) -> Bool { left.order < right.order }

    /// The name.
    public var description: String { name }
}
