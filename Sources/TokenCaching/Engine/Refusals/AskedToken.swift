// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// What a client requests from a server: equal for all queries that one server would answer in the same way.
struct AskedToken: Hashable, Sendable {
    /// The client, folded.
    private let client: String
    /// Claims, type, key and isolation of the token, and the relevant scopes in ascending order.
    private let details: [String]

    init(_ terms: PreparedQuery, client: String) {
        self.client = client
        let isolation = terms.isolation?.asked.map { terms.text($0) } ?? Isolation(repeating: nil)
        let texts = [terms.claims, terms.tokenType, terms.keyID].map { terms.text($0) } + isolation.parts
        details = texts.map { $0 ?? "" } + terms.scopeTexts.sorted()
    }

    /// Its parts, followed by those of a server.
    func parts(for server: TokenServer) -> [String] { [client, server.host, server.tenant] + details }
}

/// The server that requests are sent to.
struct TokenServer: Hashable, Sendable {
    /// The host of the cloud that requests are sent to, folded.
    let host: String
    /// The beginning of the token endpoint's path, folded; empty if it is unknown, or there is none.
    let tenant: String
}

/// A request to a server.
struct AskedRequest: Hashable, Sendable {
    let token: AskedToken
    let server: TokenServer
}

extension RefreshToken {
    /// The server that the refresh token is sent to.
    var server: TokenServer {
        TokenServer(host: networkHost, tenant: UTF8Text(requestTenant).normalized().string)
    }

    /// The request that the refresh token is redeemed for.
    var asked: AskedRequest {
        AskedRequest(token: AskedToken(answer.terms, client: answer.engine.foldedClient), server: server)
    }
}

extension PartitionFacts {
    /// The issuer of a row's token: the host of its cloud, and its realm.
    func issuer(of row: FactsRow) -> TokenServer {
        let host = clouds.table.preferredNetworkHost(for: UTF8Text(string(row.environment) ?? ""))
        return TokenServer(host: host.string, tenant: string(row.realm) ?? "")
    }
}
