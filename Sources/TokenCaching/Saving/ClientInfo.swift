// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// The content of `client_info` in a Microsoft token response: the home account of the user.
struct ClientInfo: Sendable {
    /// As received, to be stored in the account.
    let raw: UTF8Text
    /// `uid.utid`, as received.
    let homeAccountID: UTF8Text

    /// Decodes base64 of a JSON object with `uid` and `utid`.
    ///
    /// - Returns: nil for anything else.
    /// - Throws: `forkedProcess`, `outOfMemory`.
    static func decode(_ raw: UTF8Text) throws(StorageError) -> ClientInfo? {
        let json = try Base64URL.decode(raw.bytes)
        guard let json, let object = try? JSONObject(json.bytes) else { return nil }
        let (uid, utid) = (object.text("uid", in: json.bytes), object.text("utid", in: json.bytes))
        return HomeAccountID.of(uid: uid, utid: utid).map { ClientInfo(raw: raw, homeAccountID: $0) }
    }
}
