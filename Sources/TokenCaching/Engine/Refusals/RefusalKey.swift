// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage

/// The subject of a note of a refusal. Notes about the same subject replace each other.
struct RefusalKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// A request to a server with a refresh token, by the number of the token's lease; without one for a token of the
    /// application itself.
    static func request(_ request: AskedRequest, with number: UInt64? = nil) -> RefusalKey {
        RefusalKey(1, request.token.parts(for: request.server) + (number.map { [String($0)] } ?? []))
    }

    /// A request for which a token with only some of the scopes was issued: identified by the issuer, however the query
    /// names it.
    static func scopes(_ asked: AskedToken, by issuer: TokenServer) -> RefusalKey {
        RefusalKey(2, asked.parts(for: issuer))
    }

    /// A refresh token, by the number of its lease, which all of its copies share.
    static func token(_ number: UInt64, client: String) -> RefusalKey {
        RefusalKey(3, [client, String(number)])
    }

    /// A server that asked for time when the client wanted a token of its own.
    static func server(_ server: TokenServer, client: String) -> RefusalKey {
        RefusalKey(4, [client, server.host, server.tenant])
    }

    /// A server that asked for time when it got this request, with whichever refresh token.
    static func trouble(_ request: AskedRequest) -> RefusalKey {
        RefusalKey(5, request.token.parts(for: request.server))
    }

    private init(_ sort: UInt8, _ parts: [String]) {
        var bytes = [sort]
        for part in parts {
            // Each part follows its length, so that no two lists of parts give the same bytes.
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
    /// The tag of a note about a server's refusal.
    func refusalTag(_ key: RefusalKey, partition: PartitionTag) throws(StorageError) -> RecordTag {
        try internalRecordTag(.refusal, name: key.bytes, partition: partition)
    }
}
