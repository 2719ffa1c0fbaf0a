internal import GroupRecords
internal import RecordStorage

/// What a note of a refusal is about. Notes about the same thing take each other's place.
struct RefusalKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// What is asked of a server.
    static func request(_ request: AskedRequest) -> RefusalKey {
        RefusalKey(1, request.token.parts(for: request.server))
    }

    /// That whoever asked for this got a token for a part of the scopes: by whom it was issued, whatever the query calls that.
    static func scopes(_ asked: AskedToken, by issuer: TokenServer) -> RefusalKey {
        RefusalKey(2, asked.parts(for: issuer))
    }

    /// A refresh token, by the number of its lease: all copies of it have one.
    static func token(_ number: UInt64, client: String) -> RefusalKey {
        RefusalKey(3, [client, String(number)])
    }

    /// A server, as far as it serves the client's requests for a tenant.
    static func server(_ server: TokenServer, client: String) -> RefusalKey {
        RefusalKey(4, [client, server.host, server.tenant])
    }

    private init(_ sort: UInt8, _ parts: [String]) {
        var bytes = [sort]
        for part in parts {
            // With its length in front, so that no two lists of parts look the same.
            var count = UInt32(truncatingIfNeeded: part.utf8.count)
            for _ in 0..<4 {
                bytes.append(UInt8(truncatingIfNeeded: count))
                count >>= 8
            }
            bytes += part.utf8
        }
        self.bytes = bytes
    }
}

extension RecordCodec {
    /// The tag of a note that a server refused something.
    func refusalTag(_ key: RefusalKey, partition: PartitionTag) throws(StorageError) -> RecordTag {
        try engineTag(.refusal, name: key.bytes, partition: partition)
    }
}
