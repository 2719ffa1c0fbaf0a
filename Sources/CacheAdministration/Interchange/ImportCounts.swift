internal import TokenCaching

/// What became of the entries of one kind.
public struct ImportCounts: Hashable, Sendable {
    /// Were not there before.
    public package(set) var new = 0
    /// Took the place of an older one.
    public package(set) var replaced = 0
    /// Were there already, exactly so.
    public package(set) var unchanged = 0
    /// Left out, because what is there is newer or nothing tells which one is.
    public package(set) var older = 0
    /// Left out, because this client signed the account out here.
    public package(set) var signedOut = 0

    /// All of them.
    public var total: Int { new + replaced + unchanged + older + signedOut }

    package init() {}

    static func += (left: inout ImportCounts, right: ImportCounts) {
        left.new += right.new
        left.replaced += right.replaced
        left.unchanged += right.unchanged
        left.older += right.older
        left.signedOut += right.signedOut
    }
}
