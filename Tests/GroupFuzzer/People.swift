// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Invented accounts: each of their secrets says whose it is and begins with a word that no output may hold.
struct People {
    static let canary = "CANARY"
    static let client = "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44"
    static let host = "login.microsoftonline.com"
    static let tenant = "3f0c1a5e-8a0d-4b7e-9c52-6a4d1be2f7a1"

    /// The group whose they are.
    let group: String

    func id(_ number: Int) -> String { "\(group)\(number).\(Self.tenant)" }

    /// The secrets of an account in one version.
    func secrets(_ number: Int, version: Int) -> Set<String> {
        [secret("at", number, version), secret("rt", number, version)]
    }

    private func secret(_ kind: String, _ number: Int, _ version: Int) -> String {
        "\(Self.canary)\(group)-\(number)-\(kind)-v\(version)-"
    }

    /// The secrets of an account in any version begin so.
    func flags(_ number: Int) -> String { "\(Self.canary)\(group)-\(number)-" }

    /// The accounts as a document that can be imported.
    func document(_ numbers: Range<Int>, version: Int) -> [UInt8] {
        var (access, refresh, accounts): ([String: Any], [String: Any], [String: Any]) = ([:], [:], [:])
        for number in numbers {
            let (id, cachedAt) = (id(number), "\(1_700_000_000 + version)")
            let common = ["home_account_id": id, "environment": Self.host, "client_id": Self.client]
            access["\(id)-\(Self.host)-accesstoken-\(Self.client)-\(Self.tenant)-s"] = common.merging([
                "credential_type": "AccessToken", "realm": Self.tenant, "target": "s", "cached_at": cachedAt,
                "expires_on": "4000000000", "secret": secret("at", number, version) + padding(number),
            ]) { own, _ in own }
            refresh["\(id)-\(Self.host)-refreshtoken-\(Self.client)--"] = common.merging([
                "credential_type": "RefreshToken", "last_modification_time": cachedAt,
                "secret": secret("rt", number, version) + padding(number),
            ]) { own, _ in own }
            accounts["\(id)-\(Self.host)-\(Self.tenant)"] = [
                "home_account_id": id, "environment": Self.host, "realm": Self.tenant,
                "local_account_id": "\(group)\(number)", "username": "\(group)\(number)@contoso.example",
                "authority_type": "MSSTS",
            ]
        }
        let document = ["AccessToken": access, "RefreshToken": refresh, "Account": accounts]
        let data = try? JSONSerialization.data(withJSONObject: document, options: [.sortedKeys])
        return Array(data ?? Data())
    }

    /// The answer of a token endpoint to the sign-in of an account.
    func response(_ number: Int, version: Int) -> [UInt8] {
        let client = Data(#"{"uid":"\#(group)\#(number)","utid":"\#(Self.tenant)"}"#.utf8).base64EncodedString()
        let text = """
            {"token_type":"Bearer","scope":"s","expires_in":86400,"client_info":"\(client.filter { $0 != "=" })",\
            "access_token":"\(secret("at", number, version) + padding(number))",\
            "refresh_token":"\(secret("rt", number, version) + padding(number))"}
            """
        return Array(text.utf8)
    }

    private func padding(_ number: Int) -> String { String(repeating: "x", count: 40 + number * 37 % 300) }

    /// The secrets that stand in a text, without their padding.
    static func secrets(in bytes: [UInt8]) -> Set<String> {
        let canary = Array(Self.canary.utf8)
        var found: Set<String> = []
        var index = 0
        while index + canary.count < bytes.count {
            guard bytes[index] == canary[0], bytes[index..<index + canary.count].elementsEqual(canary) else {
                index += 1
                continue
            }
            var end = index
            while end < bytes.count, bytes[end] != UInt8(ascii: "x"), bytes[end] != UInt8(ascii: "\"") { end += 1 }
            found.insert(String(decoding: bytes[index..<end], as: UTF8.self))
            index = end
        }
        return found
    }
}
