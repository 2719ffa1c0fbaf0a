// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory

/// How a group is opened.
@nonexhaustive
public enum GroupAccess: Hashable, Sendable {
    /// The group is created if it does not exist.
    case create
    /// The group must exist. If nothing can be written, as on a read-only mount, it opens read-only.
    case readWrite
    /// The group must exist, and nothing is written.
    case readOnly
    /// The same, but a copied or renamed folder opens, too, which is otherwise refused as
    /// ``TokenCacheError/Code/foreign`` because its group has another name. To write to it, adopt it.
    case readOnlyCopy
}

extension GroupAccess {
    var directoryAccess: DirectoryAccess {
        switch self {
        case .create: .create
        case .readWrite: .readWrite
        case .readOnly, .readOnlyCopy: .readOnly
        }
    }
}
