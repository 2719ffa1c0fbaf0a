internal import TokenCaching

/// How a group is exported.
public struct ExportOptions: Hashable, Sendable {
    /// Include accounts that every client signed out, with what is kept of them.
    public var includesSignedOutAccounts: Bool

    /// One member a line, for people; otherwise no white space at all.
    public var isIndented: Bool

    /// Options for a document that other libraries load.
    public init(includesSignedOutAccounts: Bool = false, isIndented: Bool = false) {
        self.includesSignedOutAccounts = includesSignedOutAccounts
        self.isIndented = isIndented
    }
}
