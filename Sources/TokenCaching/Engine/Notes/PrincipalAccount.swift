internal import GroupRecords
internal import RecordStorage

/// The account that an application worked with last: the engine's own record, one per client.
package struct PrincipalAccount: Hashable, Sendable {
    private(set) var record: EngineRecord

    /// The account that a client works with now; nil if it works with none any more.
    init(clientID: String, account: Account?, at time: Int64) {
        record = EngineRecord()
        record[text: .clientID] = clientID
        record[text: .account] = account?.id.text
        record[bytes: .value] = [account?.hasHomeAccountID == true ? 1 : 0]
        record[number: .time] = time
        record[text: .username] = account?.username
        record[text: .environment] = account?.environment
    }

    /// Reads the bytes of a facts box of ``EngineRecordKind/principalAccount``.
    init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try EngineRecord(decoding: bytes)
    }

    func encoded() -> [UInt8] { record.encoded() }

    /// The client, folded.
    var clientID: String { record[text: .clientID] ?? "" }

    /// As much of the account as is known without its entries; nil if there is none.
    var account: Account? {
        guard let id = record[text: .account] else { return nil }
        return Account(
            id: Account.ID(id),
            hasHomeAccountID: record[bytes: .value]?.first == 1,
            username: record[text: .username] ?? "",
            environment: record[text: .environment] ?? "",
            tenantProfiles: [],
            isSignedIn: false
        )
    }
}
