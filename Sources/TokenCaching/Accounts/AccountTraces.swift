package import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// What the group's partition says of an account: which client worked with it last, and what MSAL for ObjC keeps of it.
package struct AccountTraces {
    let codec: RecordCodec
    let group: PartitionTag

    package init(
        codec: RecordCodec,
        group: PartitionTag
    ) {
        self.codec = codec
        self.group = group
    }

    /// Removes all of it. The account is named by its home account id or its username, folded.
    package func remove(of account: UTF8Text, isUsername: Bool, _ transaction: inout Transaction) throws(StorageError) {
        let stored = try transaction.entries(of: group) { kind in
            kind == EngineRecordKind.principalAccount.recordKind || kind.isAccountMetadata
        }
        for (record, principal) in stored.principals {
            guard principal.account.map({ UTF8Text($0.id.text).normalized() }) == account else { continue }
            try transaction.remove(record.tag, in: group, erasingSecret: false)
        }
        if isUsername { return }
        let metadata = AccountMetadataEntries(stored: stored, group: group, codec: codec)
        try metadata.change(of: nil, &transaction) { $0.remove(account: account) }
    }
}
