internal import RecordStorage
internal import UnifiedSchema

/// Takes the items of ADAL out that belong to an account which somebody signs out of: they would bring it back.
struct LegacyRemoval {
    let codec: RecordCodec
    /// The client that signs out, folded; nil where every client does.
    let client: String?

    /// Removes the items of the usernames that the account in a partition had when the transaction began.
    func remove(accountIn partition: PartitionTag, _ transaction: inout Transaction) throws(StorageError) {
        var usernames: Set<UTF8Text> = []
        for entry in try transaction.entries(of: partition, where: \.isAccount).entries {
            if let username = entry.fields.username { usernames.insert(username) }
        }
        for username in usernames {
            let place = try codec.partition(ofUsername: username.bytes)
            for entry in try transaction.entries(of: place, where: \.isLegacy).entries {
                guard client.map({ entry.fields.clientID == UTF8Text($0) }) ?? true else { continue }
                try transaction.remove(entry.record.tag, in: place, erasingSecret: true)
            }
        }
    }
}
