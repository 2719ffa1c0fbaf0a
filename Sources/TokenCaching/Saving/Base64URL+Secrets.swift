// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing

extension Base64URL {
    /// The decoded bytes of `text` in secret memory; `nil` if it is not base64.
    static func decode(_ text: RawSpan) throws(StorageError) -> SecretBytes? {
        guard let count = decodedByteCount(text) else { return nil }
        return try sealing(try SecretBytes.decoded(byteCount: count) { decode(text, into: &$0) })
    }
}
