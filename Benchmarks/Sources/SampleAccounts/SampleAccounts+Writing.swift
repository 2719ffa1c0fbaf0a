// SPDX-License-Identifier: Apache-2.0

import Glibc

extension SampleAccounts {
    /// Writes the cache as unified JSON, the form in which the other SDKs read and write it.
    ///
    /// - Returns: the number of bytes written.
    @discardableResult
    public func writeUnifiedJSON(to path: String) -> Int {
        guard let file = fopen(path, "w") else { return 0 }
        defer { fclose(file) }
        var written = 0
        func put(_ text: String) {
            var text = text
            written += text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) }
        }
        section("AccessToken", put, accessToken)
        put(",")
        section("RefreshToken", put, refreshToken)
        put(",")
        section("IdToken", put, idToken)
        put(",")
        section("Account", put, account)
        put(
            ",\"AppMetadata\":{\"appmetadata-\(Self.environment)-\(Self.clientID)\":{\"client_id\":\"\(Self.clientID)\""
        )
        put(",\"environment\":\"\(Self.environment)\"}}}\n")
        return written
    }

    private func section(_ name: String, _ put: (String) -> Void, _ entry: (Int) -> String) {
        put(name == "AccessToken" ? "{\"\(name)\":{" : "\"\(name)\":{")
        for index in 0..<count {
            if index > 0 { put(",") }
            put(entry(index))
        }
        put("}")
    }

    private func common(_ index: Int, _ kind: String) -> String {
        """
        "credential_type":"\(kind)","home_account_id":"\(homeAccountID(index))","environment":"\(Self.environment)",\
        "client_id":"\(Self.clientID)"
        """
    }

    private func accessToken(_ index: Int) -> String {
        let scopes = Self.scopes.joined(separator: " ")
        let key =
            "\(homeAccountID(index))-\(Self.environment)-accesstoken-\(Self.clientID)-\(tenant(index))-\(scopes)"
            .lowercased()
        return """
            "\(key)":{\(common(index, "AccessToken")),"secret":"\(Self.accessTokenSecret(index))",\
            "realm":"\(tenant(index))","target":"\(scopes)","cached_at":"\(cachedAt)",\
            "expires_on":"\(cachedAt + Self.lifetime)","extended_expires_on":"\(cachedAt + Self.lifetime)"}
            """
    }

    private func refreshToken(_ index: Int) -> String {
        """
        "\(homeAccountID(index))-\(Self.environment)-refreshtoken-\(Self.clientID)--":\
        {\(common(index, "RefreshToken")),"secret":"\(Self.secret(index, salt: 2, byteCount: 1_206))"}
        """
    }

    private func idToken(_ index: Int) -> String {
        """
        "\(homeAccountID(index))-\(Self.environment)-idtoken-\(Self.clientID)-\(tenant(index))-":\
        {\(common(index, "IdToken")),"secret":"\(idTokenSecret(index))","realm":"\(tenant(index))"}
        """
    }

    private func account(_ index: Int) -> String {
        """
        "\(homeAccountID(index))-\(Self.environment)-\(tenant(index))":\
        {"home_account_id":"\(homeAccountID(index))","environment":"\(Self.environment)","realm":"\(tenant(index))",\
        "local_account_id":"\(Self.guid(index, salt: 0x0a11))","username":"\(username(index))",\
        "authority_type":"MSSTS","name":"Person \(index)"}
        """
    }

    /// The access token of account `index`.
    public static func accessTokenSecret(_ index: Int) -> String {
        secret(index, salt: 1, byteCount: accessTokenByteCount)
    }

    static func secret(_ index: Int, salt: UInt64, byteCount: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var random = Xorshift(seed: UInt64(index) &* 0xd134_2543_de82_ef95 ^ salt)
        return String(unsafeUninitializedCapacity: byteCount) { buffer in
            var bits: UInt64 = 0
            for position in 0..<byteCount {
                if position % 10 == 0 { bits = random.next() }
                buffer[position] = alphabet[Int(bits & 63)]
                bits >>= 6
            }
            return byteCount
        }
    }

    func idTokenSecret(_ index: Int) -> String {
        let claims = """
            {"aud":"\(Self.clientID)","iss":"https://login.microsoftonline.com/\(tenant(index))/v2.0",\
            "iat":\(cachedAt),"nbf":\(cachedAt),"exp":\(cachedAt + 3_600),"name":"Person \(index)",\
            "oid":"\(Self.guid(index, salt: 0x0a11))","preferred_username":"\(username(index))",\
            "sub":"\(Self.secret(index, salt: 3, byteCount: 43))","tid":"\(tenant(index))","ver":"2.0",\
            "uti":"\(Self.secret(index, salt: 4, byteCount: 200))"}
            """
        let head = Self.base64URL(#"{"typ":"JWT","alg":"RS256","kid":"\#(Self.secret(7, salt: 5, byteCount: 27))"}"#)
        let unsigned = head + "." + Self.base64URL(claims) + "."
        return unsigned + Self.secret(index, salt: 6, byteCount: max(1_359 - unsigned.utf8.count, 86))
    }

    static func base64URL(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var output: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in text.utf8 {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                output.append(alphabet[Int(bits >> UInt32(bitCount) & 63)])
            }
        }
        if bitCount > 0 { output.append(alphabet[Int(bits << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: output, as: UTF8.self)
    }
}
