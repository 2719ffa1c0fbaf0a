// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A person who is signed in, and a server that refuses.
protocol RefusalScene {
    var group: TestGroup { get }
    var cache: TokenCache { get }
}

extension RefusalScene {
    static var interaction: TokenErrorResponse {
        TokenErrorResponse(error: "interaction_required", suberror: "basic_action")
    }

    /// Whom queries of tests ask.
    static var server: TokenServer { TokenServer(host: "login.microsoftonline.com", tenant: "utid") }

    var query: TokenQuery { MatchingCase.query("user.read") }
    var mail: TokenQuery { MatchingCase.query("mail.send") }

    func signIn(_ refreshToken: String = "rt", family: String? = nil, in cache: TokenCache? = nil) throws {
        try TestResponse.signIn(refreshToken: refreshToken, family: family).with("access_token", nil)
            .save(in: cache ?? self.cache)
    }

    func renew(
        _ query: TokenQuery,
        in cache: TokenCache? = nil,
        _ outcome: @autoclosure () throws -> RenewalOutcome
    ) throws -> String {
        try (cache ?? self.cache).renewSynchronously(query) { _ in try outcome() }.summary()
    }

    /// What somebody gets who must not ask a server.
    func unasked(_ query: TokenQuery, in cache: TokenCache? = nil) throws -> String {
        try (cache ?? group.cache()).renewSynchronously(query) { _ in
            Issue.record("a server was asked")
            return .unavailable
        }.summary()
    }

    /// Whether a server is asked, which cannot be reached.
    func isAsked(_ query: TokenQuery, in cache: TokenCache? = nil) throws -> Bool {
        var isAsked = false
        let error = #expect(throws: TokenCacheError.self) {
            _ = try (cache ?? group.cache()).renewSynchronously(query) { _ in
                isAsked = true
                return .unavailable
            }
        }
        return isAsked && error?.code == .renewalUnavailable
    }

    func renewed(_ token: String, refreshToken: String? = "rt2", scope: String = "User.Read") throws
        -> RenewalOutcome
    {
        .response(
            try TokenResponse(
                json: TestResponse.signIn(accessToken: token, refreshToken: refreshToken, scope: scope).body
            )
        )
    }

    func notes(_ partition: PartitionTag? = nil) throws -> [RefusalNote] {
        let account = try group.codec.partition(ofAccount: UTF8Text(TestGroup.account).bytes)
        let contents = try MemoryStore(group.backing).contents(of: partition ?? account)
        return try PartitionEntries(contents, codec: group.codec).refusals.map(\.note)
    }

    /// What a query asks the server for.
    func asked(_ query: TokenQuery) -> AskedRequest {
        AskedRequest(token: AskedToken(query.terms, client: TestGroup.client), server: Self.server)
    }

    /// Writes a note as it stands.
    func put(_ content: [UInt8], _ key: RefusalKey, in partition: PartitionTag) throws {
        let tag = try group.codec.refusalTag(key, partition: partition)
        try MemoryStore(group.backing).commit(until: .standard) { (context, batch) throws(StorageError) in
            let address = RecordAddress(tag: tag, partition: partition, searchTags: [])
            let kind = InternalRecordKind.refusal.recordKind
            try batch.put(
                try group.codec.seal(facts: content.rawSpan, secret: RawSpan(), kind: kind, at: address, in: context)
            )
        }
    }
}
