// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// The families of a client in each cloud, according to the app metadata in the group's partition.
struct ClientFamilies {
    private let group: PartitionFacts
    private let client: Symbol

    /// - Parameters:
    ///   - group: the facts of the group's partition.
    ///   - client: the client, folded.
    init(group: PartitionFacts, client: RawSpan) {
        self.group = group
        self.client = group.symbol(client)
    }

    /// Whether the client may redeem refresh tokens of `family` in the cloud represented by `cloud`. `family` is empty
    /// if the token does not name it.
    func isMember(of family: RawSpan, cloud: RawSpan) -> Bool {
        guard let own = own(cloud: cloud) else { return ClientFamily.isTriedByUnknown(family) }
        return ClientFamily.isMember(of: family, own: group.span(own))
    }

    /// The client's family in one cloud; nil if it is unknown.
    private func own(cloud: RawSpan) -> Symbol? {
        let cloud = group.symbol(cloud)
        let rows = group.rows
        var chosen: Int?
        for index in rows.indices where rows[index].kind.isAppMetadata && rows[index].client == client {
            guard rows[index].cloud == cloud else { continue }
            if let chosen, !rows[index].precedes(rows[chosen]) { continue }
            chosen = index
        }
        return chosen.map { rows[$0].family }
    }
}
