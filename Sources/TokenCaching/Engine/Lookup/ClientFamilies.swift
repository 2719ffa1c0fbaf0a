internal import ByteOperations
internal import UnifiedSchema

/// Of which family a client is, cloud by cloud: what the app metadata in the group's partition says.
struct ClientFamilies {
    private let group: PartitionFacts
    private let client: Symbol

    /// - Parameters:
    ///   - group: the facts of the group's partition.
    ///   - client: folded.
    init(group: PartitionFacts, client: RawSpan) {
        self.group = group
        self.client = group.symbol(client)
    }

    /// Whether the client may spend refresh tokens of `family`, empty where the token does not name it, in the cloud that `cloud`
    /// stands for.
    func isMember(of family: RawSpan, cloud: RawSpan) -> Bool {
        guard let own = own(cloud: cloud) else { return ClientFamily.isTriedByUnknown(family) }
        return ClientFamily.isMember(of: family, own: group.span(own))
    }

    /// The family in one cloud; nil if nothing is known.
    private func own(cloud: RawSpan) -> Symbol? {
        let cloud = group.symbol(cloud)
        let rows = group.rows
        var newest: Int?
        for index in rows.indices where rows[index].kind.isAppMetadata && rows[index].client == client {
            guard rows[index].cloud == cloud else { continue }
            if let newest, rows[newest].sequence >= rows[index].sequence { continue }
            newest = index
        }
        return newest.map { rows[$0].family }
    }
}
