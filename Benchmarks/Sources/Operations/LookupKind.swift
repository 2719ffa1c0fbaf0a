// SPDX-License-Identifier: Apache-2.0

import SampleAccounts
import TokenCaching

/// A way to ask for a token, and what the answer has to be.
struct LookupKind: Sendable {
    enum Answer: Sendable { case token, refreshToken, nothing }

    let name: String
    let answer: Answer
    /// Whether the sibling application asks.
    let asksAsSibling: Bool
    let query: @Sendable (Names) -> TokenQuery

    private init(
        _ name: String,
        _ answer: Answer,
        asSibling: Bool = false,
        _ query: @escaping @Sendable (Names) -> TokenQuery
    ) {
        self.name = name
        self.answer = answer
        asksAsSibling = asSibling
        self.query = query
    }

    /// Whether a decision is what it has to be.
    @inline(__always)
    func expects(_ decision: TokenDecision) -> Bool {
        switch decision {
        case .valid: answer == .token
        case .renew: answer == .refreshToken
        case .interactionRequired: answer == .nothing
        }
    }

    static let all: [LookupKind] = {
        let scopes = SampleAccounts.scopes
        @Sendable func byID(_ id: String, _ scopes: [String], _ tenant: String, _ host: String = CacheFolder.host)
            -> TokenQuery
        {
            TokenQuery(accountID: Account.ID(id), scopes: scopes, tenant: tenant, environment: host)
        }
        @Sendable func byName(_ name: String, _ tenant: String) -> TokenQuery {
            TokenQuery(username: name, scopes: scopes, tenant: tenant, environment: CacheFolder.host)
        }
        return [
            LookupKind("exact", .token) { byID($0.id, scopes, $0.tenant) },
            LookupKind("subset-of-scopes", .token) { byID($0.id, ["User.Read"], $0.tenant) },
            LookupKind("aliased-cloud", .token) { byID($0.id, scopes, $0.tenant, "sts.windows.net") },
            LookupKind("guest-tenant", .token) { byID($0.id, scopes, CacheFolder.guestTenant) },
            LookupKind("username", .token) { byName($0.username, $0.tenant) },
            LookupKind("family-refresh-token", .refreshToken, asSibling: true) { byID($0.id, scopes, $0.tenant) },
            LookupKind("other-scopes", .refreshToken) { byID($0.id, ["Something.Else"], $0.tenant) },
            LookupKind("unknown-id", .nothing) { byID($0.unknownID, scopes, $0.tenant) },
            LookupKind("unknown-username", .nothing) { byName($0.unknownUsername, $0.tenant) },
        ]
    }()
}
