// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// The known clouds at one moment: as a table, and laid out for lookups.
final class CloudKnowledge: Sendable {
    let table: CloudTable
    let hosts: CloudHosts

    /// The initial knowledge of every engine.
    static let builtIn = CloudKnowledge(.builtIn)

    init(_ table: CloudTable) {
        self.table = table
        hosts = CloudHosts(table)
    }
}
