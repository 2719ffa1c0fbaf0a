// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenCaching

/// Runs a sequence of renewals against the caches and the model side by side.
struct RefusalRun: SideBySideRun {
    private let real: RealGroup
    private var model: RefusalModel
    private var tokens = 0
    private(set) var counts: [String: Int] = [:]

    init(root: String?) throws(TokenCacheError) {
        model = RefusalModel(now: ImportedEntries.start)
        real = try RealGroup(now: ImportedEntries.start, root: root)
    }

    /// Does one step on both sides; says how they differ.
    mutating func perform(_ step: RefusalStep) throws(TokenCacheError) -> String? {
        tokens += 1
        let secret = "at\(tokens)"
        switch step {
        case .wait(let seconds):
            real.wait(seconds)
            model.wait(seconds)
            return nil
        case .signIn(let account, let host, let tenant, let lifetime, let cache):
            let server = RefusalModel.server(host, tenant)
            model.signIn(Operation.clients[cache], account, server, lifetime: lifetime, secret: secret)
            try real.signIn(account, host, tenant, body(secret, ["a"], lifetime, "rt\(tokens)", account), by: cache)
            return nil
        case .renew(let question, let answer, let cache):
            let expected = model.renew(question, answer, client: Operation.clients[cache], secret: secret)
            let other = RefusalGenerator.accounts.first { $0 != question.account } ?? ""
            var asked = 0
            let outcome = real.renew(question, by: cache) { () throws(TokenCacheError) in
                asked += 1
                switch answer {
                case .granted(let scopes, let lifetime, let rotates):
                    let refreshToken = rotates ? "rt\(tokens)" : nil
                    let body = body(secret, scopes, lifetime, refreshToken, question.account)
                    return .response(try TokenResponse(json: body))
                case .ofOtherAccount:
                    return .response(
                        try TokenResponse(json: body(secret, question.scopes, 600, "rt\(tokens)", other))
                    )
                case .refused(let error, let suberror): return .refused(error: error, suberror: suberror)
                case .busy(let status, let seconds):
                    return try .httpResponse(status: status, body: [], retryAfter: seconds.map { "\($0)" })
                case .unreachable: return .unavailable
                }
            }
            counts[expected.isAsked ? "renewals asked" : "renewals known", default: 0] += 1
            let fits =
                expected.outcomes.isEmpty ? outcome.hasPrefix("interaction") : expected.outcomes.contains(outcome)
            if fits, asked == (expected.isAsked ? 1 : 0) { return nil }
            let told = expected.outcomes.isEmpty ? ["interaction"] : expected.outcomes.sorted()
            return "renewing gives \(outcome), asking \(asked) times; the model \(told), asking \(expected.isAsked)"
        }
    }

    private func body(
        _ accessToken: String,
        _ scopes: [String],
        _ lifetime: Int64,
        _ refreshToken: String?,
        _ account: String
    ) -> [UInt8] {
        let parts = account.split(separator: ".").map(String.init)
        let clientInfo = #"{"uid":"\#(parts[0])","utid":"\#(parts[1])"}"#
        let encoded = Data(clientInfo.utf8).base64EncodedString().replacing("=", with: "")
        var members = [
            #""access_token":"\#(accessToken)""#, #""token_type":"Bearer""#, #""expires_in":\#(lifetime)"#,
            #""scope":"\#(scopes.joined(separator: " "))""#, #""client_info":"\#(encoded)""#,
        ]
        if let refreshToken { members.append(#""refresh_token":"\#(refreshToken)""#) }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }
}

extension RealGroup {
    func signIn(
        _ account: String,
        _ host: String,
        _ tenant: String,
        _ body: [UInt8],
        by cache: Int
    ) throws(TokenCacheError) {
        let request = TokenRequest(environment: host, tenant: tenant, scopes: ["a"], grant: .interactive)
        try caches[cache].save(try TokenResponse(json: body), for: request)
    }

    /// What comes of a renewal, in words.
    func renew(
        _ question: RefusalQuestion,
        by cache: Int,
        _ answer: () throws(TokenCacheError) -> RenewalOutcome
    ) -> String {
        let query = TokenQuery(
            accountID: Account.ID(question.account),
            scopes: question.scopes,
            tenant: question.tenant,
            environment: question.host,
            options: TokenQueryOptions(
                forceRefresh: question.isForced,
                claimsChallenge: question.asksForClaims ? #"{"access_token":{}}"# : nil
            )
        )
        do throws(TokenCacheError) {
            switch try caches[cache].renewSynchronously(query, redeeming: { _ in try answer() }) {
            case .valid(let token): return "valid \(try token.secretString)"
            case .scopesDeclined(let grant): return "declined with \(try grant.accessToken.secretString)"
            case .interactionRequired(let interaction): return "interaction \(interaction.reason)"
            }
        } catch {
            return "error \(error.code)"
        }
    }
}
