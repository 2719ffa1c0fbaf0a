// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
package import Sealing

/// The JSON document that another library stores in a keyring item.
package final class PeerDocument: Sendable {
    /// The JSON as the library wrote it, without the base64 that some libraries apply.
    package let json: SecretBytes

    private init(_ json: consuming SecretBytes) {
        self.json = json
    }

    /// Reads the item with these attributes. Of several, it reads the first that the service returns, as libsecret
    /// does.
    ///
    /// - Parameters:
    ///   - attributes: the required attributes; the item may have others.
    ///   - client: any client; its collection does not matter.
    ///   - deadline: the time by which the call returns.
    ///   - prompts: whether the user may be prompted to unlock.
    /// - Returns: the document, or `nil` if no item has these attributes.
    /// - Throws: ``SecretServiceError/Code/locked`` if that cannot be determined;
    ///   ``SecretServiceError/Code/itemDamaged`` if the item is neither JSON nor base64.
    package static func read(
        _ attributes: [(key: String, value: String)],
        from client: SecretServiceClient,
        until deadline: Deadline,
        prompts: PromptPolicy
    ) throws(SecretServiceError) -> PeerDocument? {
        try client.run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in
            guard let first = try calls.searchAllCollections(attributes).first else { return nil }
            let item = try calls.unlocked(first)
            let documents = try calls.secrets(of: [item]) { PeerDocument(secret: $0) }
            guard let document = try documents[item.path]?.get() else {
                throw SecretServiceError(.itemDamaged, detail: "it is neither JSON nor base64")
            }
            return document
        }
    }

    /// The .NET, Java and Go libraries encode the JSON in base64, the others do not. The two differ in their first
    /// character, because a brace or bracket is not a base64 digit.
    private convenience init?(secret bytes: RawSpan) {
        let first = bytes.byteOffsets.first { !Self.isBlank(bytes.uint8(at: $0)) }.map { bytes.uint8(at: $0) }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        guard let json = try? isJSON ? SecretBytes(copying: bytes) : Base64.decode(secret: bytes) else { return nil }
        self.init(json)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
