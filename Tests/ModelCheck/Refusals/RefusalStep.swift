// SPDX-License-Identifier: Apache-2.0

/// One step of a sequence about renewals and what servers refuse.
enum RefusalStep: Hashable, Sendable {
    /// The person signs in at a server.
    case signIn(account: String, host: String, tenant: String, lifetime: Int64, by: Int)
    /// Somebody wants a token; the server gives this answer if it is asked.
    case renew(RefusalQuestion, ServerAnswer, by: Int)
    case wait(Int64)
}

/// What a renewal is to bring.
struct RefusalQuestion: Hashable, Sendable {
    var account: String
    var host: String
    var tenant: String?
    var scopes: [String]
    var asksForClaims = false
    var isForced = false
}

/// What a server says to a refresh token.
enum ServerAnswer: Hashable, Sendable {
    /// Tokens for these scopes, with a new refresh token or without.
    case granted([String], lifetime: Int64, rotates: Bool)
    /// The same, for the other account.
    case ofOtherAccount
    case refused(error: String, suberror: String?)
    /// A status of 429 or 5xx, with `Retry-After` or without.
    case busy(status: Int, retryAfter: Int64?)
    case unreachable
}

/// Where tokens come from, with all names that requests use.
struct RefusalServer: Sendable {
    let hosts: [String]
    let tenants: [String?]

    static let all = [
        RefusalServer(
            hosts: ["login.microsoftonline.com", "login.windows.net", "STS.windows.net"],
            tenants: [nil, "t1", "T1", "common", "organizations", "t2"]
        ),
        RefusalServer(hosts: ["login.microsoftonline.us"], tenants: [nil, "t1"]),
        RefusalServer(hosts: ["contoso.b2clogin.com"], tenants: ["p1", "P1", "p2"]),
        RefusalServer(hosts: ["idp.example.org"], tenants: [nil, "t1", "T1"]),
    ]
}

extension RefusalStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .signIn(let account, let host, let tenant, let lifetime, let cache):
            "\(Operation.clients[cache]) (\(cache)): \(account) signs in at \(host)/\(tenant) for \(lifetime) s"
        case .renew(let question, let answer, let cache):
            "\(Operation.clients[cache]) (\(cache)) renews \(question), the server says \(answer)"
        case .wait(let seconds): "\(seconds) s go by"
        }
    }
}
