// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// An account of a group, and the applications that are signed in to it.
public struct GroupAccount: Hashable, Sendable {
    /// The account. It counts as signed in if any application is signed in to it.
    public let account: Account
    /// The ids of the applications that can get tokens for it without prompting the user, folded to lower case and
    /// sorted.
    public let signedInClients: [String]
}

extension GroupAccount: CustomStringConvertible, CustomReflectable {
    /// The number of applications; no identity.
    public var description: String { "GroupAccount(\(signedInClients.count) applications)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
