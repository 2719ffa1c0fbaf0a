// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import Programs
import Testing
import TokenCaching

extension BrokenState {
    static let byContent: [BrokenState] = [
        BrokenState(
            testDescription: "an expired token without a refresh token",
            topic: "accounts",
            level: "note",
            cause: "1 account can no longer get tokens",
            fix: "Sign in again",
            hasSince: true,
            make: { group in
                try group.fill(document(["adele"], expiresIn: -3_600, hasRefreshToken: false))
            },
            person: { group, _ in try group.fill(document(["adele"])) }
        ),
        BrokenState(
            testDescription: "two accounts of one name",
            topic: "accounts",
            level: "note",
            cause: "2 accounts share a username",
            fix: "cachetool accounts --group contoso --all",
            make: { group in try group.fill(document(["adele", "ADELE"])) },
            person: { group, _ in
                let lookup = ["lookup", "--client", SampleCache.client, "--scopes", "User.Read", "--account"]
                let byName = try group.run(lookup + ["adele@contoso.example"])
                #expect(byName.exitCode != 0, "a name alone does not do")
                let accounts = try group.run("accounts", "--all", "--json").json["accounts"] as? [[String: Any]]
                for account in accounts ?? [] {
                    let id = try #require(account["home_account_id"] as? String)
                    #expect(try group.run(lookup + [id]).exitCode == 0)
                }
                // One of the two is signed out.
                let id = try #require(accounts?.last?["home_account_id"] as? String)
                _ = try group.run("clear", "--account", id, "--yes")
            }
        ),
        BrokenState(
            testDescription: "an end in milliseconds",
            topic: "accounts",
            level: "note",
            cause: "milliseconds",
            fix: "the next renewal replaces it",
            make: { group in
                try group.fill(document(["adele"], expiresIn: 1_000 * Int64(Date().timeIntervalSince1970)))
            },
            person: { group, _ in try renew(group) }
        ),
        BrokenState(
            testDescription: "a clock that is an hour behind",
            topic: "accounts",
            level: "note",
            cause: "behind the newest save",
            fix: "Set the clock",
            make: { group in try group.fill(document(["adele"], cachedIn: 3_600)) },
            person: { group, _ in
                // As seen by a clock that is right.
                _ = try group.run("clear", "--all", "--yes")
                try group.fill(document(["adele"]))
            }
        ),
        BrokenState(
            testDescription: "a refusal that is in effect",
            topic: "accounts",
            level: "note",
            cause: "a server refused a request, which no program of the group repeats for",
            fix: "sign in again",
            make: { group in
                try group.fill(document(["adele"], expiresIn: -3_600))
                try withCache(of: group) { cache in
                    guard case .renew(let token, _) = try cache.token(for: query) else {
                        throw Unfit(reason: "there is nothing to renew")
                    }
                    _ = try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "interaction_required"))
                }
            },
            person: { group, _ in try renew(group) }
        ),
        BrokenState(
            testDescription: "a temporary file of a killed process",
            topic: "leftovers",
            level: "note",
            cause: "1 temporary file",
            fix: "cachetool compact --group contoso",
            make: { group in
                try group.fill()
                let path = group.folder + "/tmp.0123456789abcdef0123456789abcdef"
                #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
                try chmod(0o600, path)
            }
        ),
        BrokenState(
            testDescription: "a key file of a group that was moved away before it was ever opened",
            topic: "leftovers",
            level: "note",
            cause: "is a key file of a group that is not below this root",
            fix: "rm ",
            make: { group in
                try group.fill()
                let path = group.keys + "/" + UUID().uuidString.lowercased()
                #expect(FileManager.default.createFile(atPath: path, contents: Data(repeating: 1, count: 32)))
                try chmod(0o600, path)
            }
        ),
    ]

    private static let adele = Account.ID("0f4880d8-80ba-4c40-97bc-f7a23c703084.\(SampleCache.tenant)")
    private static let query = TokenQuery(
        accountID: adele,
        scopes: ["User.Read"],
        environment: SampleCache.environment
    )

    /// Saves what a server answers when the person signs in, or a token is renewed.
    private static func renew(_ group: DoctoredGroup) throws {
        let answer = """
            {"access_token": "a", "refresh_token": "r", "expires_in": 3600, "token_type": "Bearer", "scope": "User.Read"}
            """
        try withCache(of: group) { cache in
            let request = TokenRequest(
                environment: SampleCache.environment,
                tenant: SampleCache.tenant,
                scopes: ["User.Read"],
                grant: .interactive,
                accountID: adele
            )
            _ = try cache.save(TokenResponse(json: Array(answer.utf8)), for: request)
        }
    }

    /// Does what an application does with the group.
    private static func withCache(of group: DoctoredGroup, _ body: (TokenCache) throws -> Void) throws {
        let opened = try CacheGroup.open(
            DoctoredGroup.name,
            root: group.root,
            storage: .file(unlockedBy: .keyFile(path: group.keyFile)),
            access: .readWrite
        )
        defer { opened.close() }
        try body(opened.tokenCache(clientID: SampleCache.client))
    }

    /// A cache with an account and an access token for each name.
    static func document(
        _ names: [String],
        expiresIn: Int64 = 3_600,
        cachedIn: Int64 = 0,
        hasRefreshToken: Bool = true
    ) throws -> Data {
        let now = Int64(Date().timeIntervalSince1970)
        var sections: [String: [String: [String: String]]] = ["AccessToken": [:], "RefreshToken": [:], "Account": [:]]
        for (index, name) in names.enumerated() {
            let id = "\(index)f4880d8-80ba-4c40-97bc-f7a23c703084.\(SampleCache.tenant)"
            let common = [
                "home_account_id": id, "environment": SampleCache.environment, "client_id": SampleCache.client,
            ]
            let base = "\(id)-\(SampleCache.environment)"
            let expiry = now + cachedIn + expiresIn
            sections["AccessToken"]?["\(base)-accesstoken-\(SampleCache.client)-\(SampleCache.tenant)-user.read"] =
                common.merging([
                    "credential_type": "AccessToken", "secret": "CANARYACCESS", "target": "User.Read",
                    "realm": SampleCache.tenant, "cached_at": "\(min(now + cachedIn, expiry - 3_600))",
                    "expires_on": "\(expiry)", "token_type": "Bearer",
                ]) { $1 }
            if hasRefreshToken {
                sections["RefreshToken"]?["\(base)-refreshtoken-\(SampleCache.client)--"] =
                    common.merging(["credential_type": "RefreshToken", "secret": "1.CANARYREFRESH"]) { $1 }
            }
            sections["Account"]?["\(base)-\(SampleCache.tenant)"] = [
                "home_account_id": id, "environment": SampleCache.environment, "realm": SampleCache.tenant,
                "local_account_id": String(id.prefix(36)), "username": name + "@contoso.example",
                "authority_type": "MSSTS",
            ]
        }
        return try JSONSerialization.data(withJSONObject: sections, options: [.sortedKeys])
    }
}
