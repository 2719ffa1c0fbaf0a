// SPDX-License-Identifier: Apache-2.0

/// The kind of name that a partition's tag is derived from. Equal text in different domains gives different tags.
package enum PartitionDomain: Sendable, CaseIterable {
    /// A home account id.
    case account
    /// A username, if there is no home account id.
    case username
    /// A client and a realm, for app-only tokens.
    case appOnly
    /// The group as a whole.
    case group

    var label: StaticString {
        switch self {
        case .account: Label.accountPartition
        case .username: Label.usernamePartition
        case .appOnly: Label.appOnlyPartition
        case .group: Label.groupPartition
        }
    }
}
