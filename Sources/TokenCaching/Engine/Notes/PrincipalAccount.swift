// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage

/// The account that an application last used: an internal record, one per client.
package struct PrincipalAccount: Hashable, Sendable {
    private(set) var record: InternalRecordFacts

    /// Records the account that a client uses now; nil if it no longer uses one.
    init(clientID: String, account: Account?, at time: Int64) {
        record = InternalRecordFacts()
        record[text: .clientID] = clientID
        record[text: .account] = account?.id.text
        record[bytes: .value] = [account?.hasHomeAccountID == true ? 1 : 0]
        record[number: .time] = time
        record[text: .username] = account?.username
        record[text: .environment] = account?.environment
    }

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/principalAccount``.
    init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try InternalRecordFacts(decoding: bytes)
    }

    func encoded() -> [UInt8] { record.encoded() }

    /// The client, folded.
    var clientID: String { record[text: .clientID] ?? "" }

    /// The account as far as it is known without reading its entries; nil if there is none.
    var account: Account? {
        guard let id = record[text: .account] else { return nil }
        return Account(
            id: Account.ID(id),
            hasHomeAccountID: record[bytes: .value]?.first == 1,
            username: record[text: .username].flatMap { $0.isEmpty ? nil : $0 },
            environment: record[text: .environment] ?? "",
            tenantProfiles: [],
            isSignedIn: false
        )
    }
}
