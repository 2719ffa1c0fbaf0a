// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A unified cache like one that an MSAL library writes, with secrets that are easy to find wherever they turn up.
struct SampleCache {
    static let client = "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44"
    static let otherClient = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
    static let tenant = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
    static let environment = "login.windows.net"
    static let adele = "adele.vance@contoso.example"
    static let adeleID = "9f4880d8-80ba-4c40-97bc-f7a23c703084." + tenant
    static let zoe = "zoë.王小明@contoso.example"
    static let zoeID = "11111111-80ba-4c40-97bc-f7a23c703084." + tenant
    /// Whoever named this account wanted to take over a terminal.
    static let hostile = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{202E}mallory@contoso.example"
    static let hostileID = "22222222-80ba-4c40-97bc-f7a23c703084." + tenant

    /// Pieces that no output may hold unless it was asked to reveal: every secret, and parts of it.
    static let canaries = ["CANARYACCESS", "CANARYREFRESH", "CANARYIDSIGNATURE", "CANARYUNKNOWN", "CANARYFAMILY"]

    /// Seconds since 1970 that the expiries refer to.
    let now: Int64

    init(now: Int64 = Int64(Date().timeIntervalSince1970)) {
        self.now = now
    }

    var document: Data {
        get throws { try JSONSerialization.data(withJSONObject: sections, options: [.sortedKeys]) }
    }

    private var sections: [String: [String: [String: String]]] {
        var access: [String: [String: String]] = [:]
        var refresh: [String: [String: String]] = [:]
        var identity: [String: [String: String]] = [:]
        var accounts: [String: [String: String]] = [:]
        for (id, name) in [(Self.adeleID, Self.adele), (Self.zoeID, Self.zoe), (Self.hostileID, Self.hostile)] {
            let base = "\(id)-\(Self.environment)"
            access["\(base)-accesstoken-\(Self.client)-\(Self.tenant)-mail.read user.read"] = accessToken(
                id,
                "Mail.Read User.Read",
                lifetime: 3_600,
                cachedBefore: 60
            )
            refresh["\(base)-refreshtoken-\(Self.client)--"] = entry(
                "RefreshToken",
                id,
                ["secret": "1.CANARYREFRESH.\(id)", "target": "Mail.Read User.Read"]
            )
            identity["\(base)-idtoken-\(Self.client)-\(Self.tenant)-"] = entry(
                "IdToken",
                id,
                ["realm": Self.tenant, "secret": idToken(name: name)]
            )
            accounts["\(base)-\(Self.tenant)"] = [
                "home_account_id": id, "environment": Self.environment, "realm": Self.tenant,
                "local_account_id": String(id.prefix(36)), "username": name, "authority_type": "MSSTS",
            ]
        }
        let base = "\(Self.adeleID)-\(Self.environment)"
        access["\(base)-accesstoken-\(Self.client)-\(Self.tenant)-files.read"] = accessToken(
            Self.adeleID,
            "Files.Read",
            lifetime: 3_600,
            cachedBefore: 7_200
        )
        var unknown = accessToken(Self.adeleID, "Chat.Read", lifetime: 3_600, cachedBefore: 60)
        unknown["x_unknown"] = "CANARYUNKNOWN"
        access["\(base)-accesstoken-\(Self.client)-\(Self.tenant)-chat.read"] = unknown
        return [
            "AccessToken": access, "RefreshToken": refresh, "IdToken": identity, "Account": accounts,
            "AppMetadata": [
                "appmetadata-\(Self.environment)-\(Self.client)": [
                    "client_id": Self.client, "environment": Self.environment, "family_id": "1",
                ]
            ],
        ]
    }

    private func accessToken(_ id: String, _ scopes: String, lifetime: Int64, cachedBefore: Int64) -> [String: String] {
        let cachedAt = now - cachedBefore
        return entry(
            "AccessToken",
            id,
            [
                "secret": "CANARYACCESS.\(scopes).\(id)", "target": scopes, "realm": Self.tenant,
                "cached_at": "\(cachedAt)", "expires_on": "\(cachedAt + lifetime)",
                "extended_expires_on": "\(cachedAt + lifetime)", "token_type": "Bearer",
            ]
        )
    }

    private func entry(_ type: String, _ id: String, _ fields: [String: String]) -> [String: String] {
        let common = [
            "credential_type": type, "home_account_id": id, "environment": Self.environment, "client_id": Self.client,
        ]
        return common.merging(fields) { $1 }
    }

    private func idToken(name: String) -> String {
        func part(_ object: [String: Any]) -> String {
            let data = (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data()
            return data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let claims: [String: Any] = [
            "aud": Self.client, "tid": Self.tenant, "preferred_username": name, "exp": now + 3_600, "iat": now - 60,
        ]
        return part(["alg": "RS256", "typ": "JWT"]) + "." + part(claims) + ".CANARYIDSIGNATURE"
    }
}
