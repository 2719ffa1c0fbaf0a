// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage

@testable import CacheAdministration
@testable import TokenCaching

extension CacheGroup {
    /// Notes whether a client is signed in to an account, as the engine does.
    func note(_ value: SignInRecord.Value, client: String, account: String, isUsername: Bool = false) throws {
        let (codec, bytes) = (opened.codec, Array(account.utf8))
        let partition =
            try isUsername ? codec.partition(ofUsername: bytes.rawSpan) : codec.partition(ofAccount: bytes.rawSpan)
        let tag = try opened.codec.signInStateTag(clientID: client, partition: partition)
        let state = SignInRecord(clientID: client, account: account).changed(to: value, at: 1)
        try opened.store.commit(until: .after(.seconds(20))) { (context, batch) throws(StorageError) in
            let record = try opened.codec.seal(
                facts: state.encoded().rawSpan,
                secret: RawSpan(),
                kind: InternalRecordKind.signInState.recordKind,
                at: RecordAddress(tag: tag, partition: partition, searchTags: []),
                in: context
            )
            try batch.put(record)
        }
    }
}
