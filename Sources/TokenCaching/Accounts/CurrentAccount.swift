/// The account that an application works with, and the one that it worked with before: for applications that work with
/// one account at a time and follow when another application of the group changes it.
public struct CurrentAccount: Hashable, Sendable {
    /// The account that this application is signed in to; nil if there is none.
    public let current: Account?

    /// The one that was current when it was asked for last; nil if there was none. Of an account that was removed since,
    /// only ids and names are known.
    public let previous: Account?

    /// Whether it is another one than before.
    public let didChange: Bool
}

extension CurrentAccount: CustomStringConvertible, CustomReflectable {
    /// Whether there is one and whether it changed; no identity.
    public var description: String {
        "CurrentAccount(\(current == nil ? "none" : "one"), \(didChange ? "changed" : "the same"))"
    }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
