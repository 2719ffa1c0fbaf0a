// SPDX-License-Identifier: Apache-2.0

import SampleAccounts
import TokenAcquisition
import TokenCaching

/// Requests of `TokenAcquisition` that the cache satisfies: they must reach no server, so there is none.
extension Workbench {
    /// A request that is kept and repeated, and one made from its scopes each time.
    public var silentRequests: [Operation] {
        let (kept, client, accounts) = (keptRequests, client, silentAccounts)
        let authorities = names.map { try? Authority.entra(tenant: $0.tenant) }
        return [
            Operation(
                "silent-prepared",
                rounds: 1_000,
                asynchronously: { round in
                    let result = try await client.acquireTokenSilent(kept[round % kept.count])
                    guard result.source == .cache else { throw UnexpectedOutcome(operation: "silent-prepared") }
                }
            ),
            Operation(
                "silent-from-strings",
                rounds: 1_000,
                asynchronously: { round in
                    let index = round % accounts.count
                    var request = SilentRequest(scopes: SampleAccounts.scopes, account: accounts[index])
                    request.authority = authorities[index]
                    let result = try await client.acquireTokenSilent(request)
                    guard result.source == .cache else { throw UnexpectedOutcome(operation: "silent-from-strings") }
                }
            ),
        ]
    }

    /// What the two are measured beside: `token(for:)` of the cache, asked as asynchronously.
    public var silentFloors: [Operation] {
        let (cache, names) = (cache, names)
        let make = LookupKind.all[0].query
        let queries = names.map(make)
        return [
            Operation(
                "token-prepared",
                rounds: 1_000,
                asynchronously: { round in
                    guard case .valid = try await cache.token(for: queries[round % queries.count]) else {
                        throw UnexpectedOutcome(operation: "token-prepared")
                    }
                }
            ),
            Operation(
                "token-from-strings",
                rounds: 1_000,
                asynchronously: { round in
                    guard case .valid = try await cache.token(for: make(names[round % names.count])) else {
                        throw UnexpectedOutcome(operation: "token-from-strings")
                    }
                }
            ),
        ]
    }

    private var client: PublicClient {
        let configuration = ClientConfiguration(clientID: SampleAccounts.clientID)
        guard let client = try? PublicClient(configuration, cache: cache, services: Services(transport: Unreachable()))
        else { fatalError("The cache was opened with another client id.") }
        return client
    }

    private var silentAccounts: [Account] {
        names.compactMap { try? cache.accounts(matching: AccountFilter(id: Account.ID($0.id))).first }
    }

    private var keptRequests: [SilentRequest] {
        zip(silentAccounts, names).map { account, name in
            var request = SilentRequest(scopes: SampleAccounts.scopes, account: account)
            request.authority = try? .entra(tenant: name.tenant)
            return request
        }
    }
}

/// Refuses every request.
private struct Unreachable: Transport {
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        throw TransportError(.hostNotFound, mayHaveBeenSent: false)
    }
}
