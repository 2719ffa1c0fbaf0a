// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// An application whose authority names its tenant by domain, such as `…/contoso.onmicrosoft.com`, from the sign-in on.
@Suite("An authority that names its tenant by domain")
struct DomainTenantTests {
    static let domain = "contoso.onmicrosoft.com"
    static let hosts = ["login.microsoftonline.com", "contoso.b2clogin.com", "contoso.ciamlogin.com"]

    /// A provider that gives tokens for an hour, and counts how often it was asked.
    private struct Provider {
        let host: String
        let hasIDToken: Bool
        var requestCount = 0

        mutating func renew(scope: String) -> [UInt8] {
            requestCount += 1
            var answer = TestResponse.signIn(
                accessToken: "at\(requestCount)",
                refreshToken: "rt\(requestCount)",
                scope: scope,
                tenant: domain
            )
            if !hasIDToken { answer = answer.with("id_token", nil).with("client_info", nil) }
            return answer.body
        }
    }

    /// Signs in, asks silently a thousand times over three hours, and returns how often the provider was asked and would
    /// have been asked by a cache that only asks when a token has ended.
    private func ask(
        _ scopes: [String],
        granted: String = "User.Read openid profile",
        of provider: inout Provider,
        usableFor seconds: Int64,
        isDeclined: Bool = false,
        options: TokenQueryOptions = TokenQueryOptions()
    ) throws -> Int {
        let group = try TestGroup()
        let cache = try group.cache()
        try TestResponse.signIn(scope: granted, tenant: Self.domain).asked {
            $0.environment = provider.host
            $0.scopes = scopes
        }.save(in: cache)
        let query = TokenQuery(
            accountID: TestGroup.accountID,
            scopes: scopes,
            tenant: Self.domain,
            environment: provider.host,
            options: options
        )
        var endings = 0
        var end = group.clock.now + seconds
        for _ in 0..<1_000 {
            group.clock.advance(by: 11)
            if group.clock.now >= end {
                endings += 1
                end = group.clock.now + seconds
            }
            let result = try cache.renewSynchronously(query) { _ in
                .response(try TokenResponse(json: provider.renew(scope: granted)))
            }
            switch result {
            case .valid: if isDeclined { Issue.record("nothing was said of the scope that is declined") }
            case .scopesDeclined(let grant): #expect(isDeclined && grant.declinedScopes == ["mail.send"])
            case .interactionRequired(let interaction):
                Issue.record("the person was asked to sign in: \(interaction)")
                return endings
            }
        }
        return endings
    }

    @Test("signs in once and renews as often as a token ends", arguments: hosts, [true, false])
    func renewsAtTheEnd(host: String, hasIDToken: Bool) throws {
        var provider = Provider(host: host, hasIDToken: hasIDToken)
        let endings = try ask(["User.Read"], of: &provider, usableFor: 3_300)
        #expect(endings == 3)
        #expect(provider.requestCount == endings)
    }

    @Test("a buffer longer than tokens live renews at half of their life", arguments: hosts, [true, false])
    func longBuffer(host: String, hasIDToken: Bool) throws {
        var provider = Provider(host: host, hasIDToken: hasIDToken)
        let endings = try ask(
            ["User.Read"],
            of: &provider,
            usableFor: 1_800,
            options: TokenQueryOptions(expirationMargin: .seconds(7_200))
        )
        #expect(endings == 6)
        #expect(provider.requestCount == endings)
    }

    @Test("a scope that is always declined costs no request of its own", arguments: hosts, [true, false])
    func declinedScope(host: String, hasIDToken: Bool) throws {
        var provider = Provider(host: host, hasIDToken: hasIDToken)
        let endings = try ask(["User.Read", "Mail.Send"], of: &provider, usableFor: 3_300, isDeclined: true)
        #expect(endings == 3)
        // The first request finds out that the scope is declined.
        #expect(provider.requestCount == endings + 1)
    }
}
