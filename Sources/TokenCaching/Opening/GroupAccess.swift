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
}

extension GroupAccess {
    var directoryAccess: DirectoryAccess {
        switch self {
        case .create: .create
        case .readWrite: .readWrite
        case .readOnly: .readOnly
        }
    }
}
