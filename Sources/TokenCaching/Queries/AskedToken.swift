internal import UnifiedSchema

/// What a client asks a server for: equal for all queries that one server would answer in one way.
struct AskedToken: Hashable, Sendable {
    /// The client, folded.
    private let client: String
    /// Claims, type and key of the token, what it is kept apart by, and the scopes that count, in ascending order.
    private let details: [String]

    init(_ terms: PreparedQuery, client: String) {
        self.client = client
        let isolation = terms.isolation?.asked.map { terms.text($0) } ?? Isolation(repeating: nil)
        let texts = [terms.claims, terms.tokenType, terms.keyID].map { terms.text($0) } + isolation.parts
        details = texts.map { $0 ?? "" } + terms.scopeTexts.sorted()
    }

    /// Its parts, and those of a server.
    func parts(for server: TokenServer) -> [String] { [client, server.host, server.tenant] + details }
}

/// Whom requests are sent to: what tells one server from another.
struct TokenServer: Hashable, Sendable {
    /// The host of the cloud that requests are sent to, folded.
    let host: String
    /// What the path of the token endpoint begins with, folded; empty where nobody knows it, or there is nothing to know.
    let tenant: String
}

/// What a server was asked for.
struct AskedRequest: Hashable, Sendable {
    let token: AskedToken
    let server: TokenServer
}

extension RefreshToken {
    /// Whom it is sent to.
    var server: TokenServer {
        TokenServer(host: networkHost, tenant: UTF8Text(requestTenant).normalized().string)
    }

    /// What it is spent for.
    var asked: AskedRequest {
        AskedRequest(token: AskedToken(answer.terms, client: answer.engine.foldedClient), server: server)
    }
}

extension PartitionFacts {
    /// Who issued the token of a row: the host of its cloud, and its realm.
    func issuer(of row: FactsRow) -> TokenServer {
        let host = clouds.table.preferredNetworkHost(for: UTF8Text(string(row.environment) ?? ""))
        return TokenServer(host: host.string, tenant: string(row.realm) ?? "")
    }
}
