// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// The content of `client_info` in a Microsoft token response: the home account of the user.
struct ClientInfo: Sendable {
    /// As received, to be stored in the account.
    let raw: UTF8Text
    let uid: UTF8Text
    let utid: UTF8Text

    /// `uid.utid`, as received.
    var homeAccountID: UTF8Text { UTF8Text("\(uid.string).\(utid.string)") }

    /// Decodes base64 of a JSON object with `uid` and `utid`. If `utid` is missing, `uid` serves as both, as in MSAL
    /// for Go.
    ///
    /// - Returns: nil for anything else.
    /// - Throws: `forkedProcess`, `outOfMemory`.
    static func decode(_ raw: UTF8Text) throws(StorageError) -> ClientInfo? {
        let json = try Base64URL.decode(raw.bytes)
        guard let json, let object = try? JSONObject(json.bytes) else { return nil }
        guard let uid = object.text("uid", in: json.bytes), !uid.isBlank else { return nil }
        let utid = object.text("utid", in: json.bytes).flatMap { $0.isBlank ? nil : $0 }
        return ClientInfo(raw: raw, uid: uid, utid: utid ?? uid)
    }
}
