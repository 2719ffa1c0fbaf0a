/// What a partition is named after. Equal text in different domains gives different tags.
package enum PartitionDomain: Sendable, CaseIterable {
    /// A home account id.
    case account
    /// A username, where there is no home account id.
    case username
    /// A client and a realm, for tokens of an app without a person.
    case appOnly
    /// What concerns the group as a whole.
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
