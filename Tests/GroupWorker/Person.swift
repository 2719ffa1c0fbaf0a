// SPDX-License-Identifier: Apache-2.0

import TokenCaching

/// An account that workers know by number, and what its tokens look like: each names the save that it came from.
struct Person {
    static let client = "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44"
    static let tenant = "3f0c1a5e-8a0d-4b7e-9c52-6a4d1be2f7a1"
    static let host = "login.microsoftonline.com"

    let writer: Int
    let number: Int

    var objectID: String { "writer\(writer)-account\(number)" }
    var accountID: Account.ID { Account.ID("\(objectID).\(Self.tenant)") }

    /// What a token endpoint answers to sign-in number `save`: four entries, of the usual sizes but for the access token.
    func response(save: Int, size: Int = 1_500) -> [UInt8] {
        let clientInfo = base64URL(#"{"uid":"\#(objectID)","utid":"\#(Self.tenant)"}"#)
        let claims = """
            {"oid":"\(objectID)","tid":"\(Self.tenant)","sub":"\(objectID)","aud":"\(Self.client)",\
            "preferred_username":"\(objectID)@contoso.example"}
            """
        let idToken = [base64URL(#"{"alg":"none"}"#), base64URL(claims), "x"].joined(separator: ".")
        let text = """
            {"token_type":"Bearer","scope":"User.Read","expires_in":86400,"client_info":"\(clientInfo)",\
            "access_token":"\(token("at", save: save, size: size))",\
            "refresh_token":"\(token("rt", save: save, size: 900))","id_token":"\(idToken)"}
            """
        return Array(text.utf8)
    }

    /// The save that a token came from.
    static func save(of token: String) -> Int? {
        let parts = token.split(separator: ".", maxSplits: 2)
        return parts.count == 3 ? Int(parts[1]) : nil
    }

    private func token(_ kind: String, save: Int, size: Int) -> String {
        "\(kind).\(save)." + String(repeating: "x", count: size)
    }

    private func base64URL(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var encoded = ""
        var bits = 0
        var held = 0
        for byte in text.utf8 {
            held = held << 8 | Int(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                encoded.append(alphabet[held >> bits & 63])
            }
        }
        if bits > 0 { encoded.append(alphabet[held << (6 - bits) & 63]) }
        return encoded
    }
}
