// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
internal import Sealing

extension SecretServiceClient {
    /// Creates an item, reads it back and deletes it, to test that the keyring stores items intact.
    ///
    /// - Throws: ``SecretServiceError/Code/itemDamaged`` if the content read back differs, and errors of the keyring.
    ///   If the keyring exits during the test, the item may remain; the next round trip deletes it.
    package func roundTrip(until deadline: Deadline) throws(SecretServiceError) {
        let text: SecretText
        do throws(SealingError) {
            var canary: [UInt8] = []
            try SecretBytes.random(byteCount: 24).withBytes { canary = $0.copied() }
            text = .sealed(Base64.encode(canary))
        } catch {
            throw SecretServiceError(.refused, detail: "there is no memory for the test item")
        }
        try run(until: deadline) { calls throws(SecretServiceError) in
            let attributes = [("xdg:schema", KeyringAttributes.schema), ("role", "canary")]
            _ = try calls.create(attributes, label: KeyringAttributes.label, text)
            let items = try calls.search(attributes)
            let contents = try calls.secrets(of: items) { $0.copied() }
            for item in items { try calls.delete(item) }
            let isKept = text.withBytes { (kept: RawSpan) in
                contents.values.contains { (try? $0.get())?.elementsEqual(kept.copied()) == true }
            }
            guard isKept else {
                throw SecretServiceError(.itemDamaged, detail: "the content that was read back differs")
            }
        }
    }
}
