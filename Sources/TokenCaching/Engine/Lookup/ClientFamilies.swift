internal import ByteOperations
internal import UnifiedSchema

/// Of which family a client is, cloud by cloud: what the app metadata in the group's partition says.
///
/// No metadata means that nothing is known: such a client tries the family "1". Metadata without a family means that
/// the client is in none.
struct ClientFamilies {
    private let group: PartitionFacts
    private let client: Symbol

    /// The family that a client of whom nothing is known tries.
    static let assumed: StaticString = "1"

    /// - Parameters:
    ///   - group: the facts of the group's partition.
    ///   - client: folded.
    init(group: PartitionFacts, client: RawSpan) {
        self.group = group
        self.client = group.symbol(client)
    }

    /// Whether the client may spend refresh tokens of `family` in the cloud that `cloud` stands for. An empty family is
    /// that of a family token which does not say: the one that is assumed.
    func isMember(of family: RawSpan, cloud: RawSpan) -> Bool {
        guard let own = own(cloud: cloud) else {
            return family.isEmpty || family.isEqual(to: ClientFamilies.assumed)
        }
        guard !own.isNone else { return false }
        let text = group.span(own)
        return text.isEqual(to: family) || (family.isEmpty && text.isEqual(to: ClientFamilies.assumed))
    }

    /// The family in one cloud; nil where nothing is known.
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
