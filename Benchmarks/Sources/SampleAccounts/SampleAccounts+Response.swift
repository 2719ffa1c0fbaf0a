// SPDX-License-Identifier: Apache-2.0

extension SampleAccounts {
    /// What a token endpoint answers for account `index`: the same account, tokens that differ by `round`.
    public func tokenResponse(_ index: Int, round: Int) -> [UInt8] {
        let identity = homeAccountID(index).split(separator: ".")
        let clientInfo = Self.base64URL(#"{"uid":"\#(identity[0])","utid":"\#(identity[1])"}"#)
        let seed = count + index + (round + 1) * 1_000_003
        let text = """
            {"token_type":"Bearer","scope":"\(Self.scopes.joined(separator: " "))","expires_in":\(Self.lifetime),\
            "ext_expires_in":\(Self.lifetime),"access_token":"\(Self.accessTokenSecret(seed))",\
            "refresh_token":"\(Self.secret(seed, salt: 2, byteCount: 1_206))","id_token":"\(idTokenSecret(index))",\
            "client_info":"\(clientInfo)"}
            """
        return Array(text.utf8)
    }

    /// What a token endpoint answers for account `index` as a guest of `tenant`, to a client that belongs to a family. It
    /// sends no id token, so that the account is known by the names that it had.
    public func guestResponse(_ index: Int, tenant: String) -> [UInt8] {
        let identity = homeAccountID(index).split(separator: ".")
        let clientInfo = Self.base64URL(#"{"uid":"\#(identity[0])","utid":"\#(identity[1])"}"#)
        let text = """
            {"token_type":"Bearer","scope":"\(Self.scopes.joined(separator: " "))","expires_in":\(Self.lifetime),\
            "access_token":"\(Self.accessTokenSecret(index))","foci":"1",\
            "refresh_token":"\(Self.secret(index, salt: 2, byteCount: 1_206))","client_info":"\(clientInfo)"}
            """
        return Array(text.utf8)
    }
}
