// SPDX-License-Identifier: Apache-2.0

/// The account that an application uses, and the one that it used before. For applications that work with one account
/// at a time and react when another application of the group changes it.
public struct CurrentAccount: Hashable, Sendable {
    /// The account that this application is signed in to; nil if there is none.
    public let current: Account?

    /// The account that was current at the last call; nil if there was none. If it was removed since, only ids and
    /// names are known.
    public let previous: Account?

    /// Whether the current account differs from the previous one.
    public let didChange: Bool

    /// Creates an answer, as the library does: for tests of what handles it.
    public init(current: Account?, previous: Account? = nil, didChange: Bool = false) {
        self.current = current
        self.previous = previous
        self.didChange = didChange
    }
}

extension CurrentAccount: CustomStringConvertible, CustomReflectable {
    /// Whether there is an account and whether it changed; no identity.
    public var description: String {
        "CurrentAccount(\(current == nil ? "none" : "one"), \(didChange ? "changed" : "the same"))"
    }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
