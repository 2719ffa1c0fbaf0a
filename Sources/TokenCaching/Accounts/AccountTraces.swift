// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// What the group's partition contains about an account: which client last used it, and the records of MSAL for ObjC.
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

    /// Removes these records. The account is identified by its home account id or its username, folded.
    package func remove(of account: UTF8Text, isUsername: Bool, _ transaction: inout Transaction) throws(StorageError) {
        let stored = try transaction.entries(of: group) { kind in
            kind == InternalRecordKind.principalAccount.recordKind || kind.isAccountMetadata
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
