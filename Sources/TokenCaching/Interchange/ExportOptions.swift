/// How a group is exported.
public struct ExportOptions: Hashable, Sendable {
    /// Include accounts that every client signed out, with what is kept of them.
    public var includesSignedOutAccounts: Bool

    /// Options for a document that other libraries load.
    public init(includesSignedOutAccounts: Bool = false) {
        self.includesSignedOutAccounts = includesSignedOutAccounts
    }
}
