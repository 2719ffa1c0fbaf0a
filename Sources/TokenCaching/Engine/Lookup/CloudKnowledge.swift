internal import UnifiedSchema

/// Which hosts are one cloud, as far as that is known at one moment: as a table, and laid out for lookups.
final class CloudKnowledge: Sendable {
    let table: CloudTable
    let hosts: CloudHosts

    /// What every engine starts with.
    static let builtIn = CloudKnowledge(.builtIn)

    init(_ table: CloudTable) {
        self.table = table
        hosts = CloudHosts(table)
    }
}
