// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenAcquisition
import TokenCaching

/// Calls for tokens that differ only in what they are for: a user's, and the application's own, for the same scopes. Reports
/// each token with what it was asked for.
struct RandomCalls {
    let client: PublicClient
    let account: Account
    private let options: Options
    private let targets: [[String: String]] = [
        [:], ["resource": "https://api.example/a"], ["resource": "https://api.example/b"], ["audience": "a"],
        ["audience": "b"], ["resource": "https://api.example/a", "audience": "b"],
    ]

    init(client: PublicClient, account: Account, _ options: Options) {
        (self.client, self.account, self.options) = (client, account, options)
    }

    func run() async throws {
        var random = SplitMix(state: UInt64(options["seed"]) ?? 0)
        for _ in 0..<(Int(options["count"]) ?? 0) {
            let target = targets.randomElement(using: &random) ?? [:]
            let isForced = Int.random(in: 0..<10, using: &random) == 0
            if Bool.random(using: &random) {
                let token = try await userToken(target, isForced: isForced)
                report(target, of: "user", token)
            } else {
                report(target, of: "application", try await applicationToken(target, isForced: isForced))
            }
        }
    }

    private func report(_ target: [String: String], of owner: String, _ token: String) {
        Output.report("call", target.merging(["owner": owner, "token": token]) { own, _ in own })
    }

    private func userToken(_ target: [String: String], isForced: Bool) async throws -> String {
        var request = SilentRequest(scopes: options.scopes, account: account)
        (request.isolatedParameters, request.forceRefresh) = (target, isForced)
        return Output.publicPart(try await client.acquireTokenSilent(request))
    }

    /// The application's own token, which names in its text what it is for.
    private func applicationToken(_ target: [String: String], isForced: Bool) async throws -> String {
        let authority = client.configuration.authority
        let query = TokenQuery(
            applicationScopes: options.scopes,
            tenant: authority.tenant ?? "",
            environment: authority.environment,
            options: TokenQueryOptions(
                forceRefresh: isForced,
                extendedCacheKey: try ExtendedCacheKey(requestParameters: target)
            )
        )
        let name = target.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        let result = try await client.cache.acquireApplicationToken(query, timeout: .seconds(60)) {
            let body = ["access_token": "\(name);\(UUID())", "token_type": "Bearer", "expires_in": "3600"]
            return try .httpResponse(status: 200, body: [UInt8](JSONSerialization.data(withJSONObject: body)))
        }
        guard case .valid(let token) = result else { throw AcquisitionError(.interactionRequired) }
        return try token.secretString
    }
}

/// The same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
