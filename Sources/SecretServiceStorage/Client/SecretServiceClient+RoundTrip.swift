internal import ByteOperations
package import RecordStorage
internal import Sealing

extension SecretServiceClient {
    /// Makes an item, reads it back and deletes it, to see whether the keyring keeps what it is given.
    ///
    /// - Throws: ``SecretServiceError/Code/itemDamaged`` where another content came back, and what keyrings meet. The item
    ///   may stay where the keyring ended meanwhile; the next round trip takes it along.
    package func roundTrip(until deadline: Deadline) throws(SecretServiceError) {
        let text: SecretText
        do throws(SealingError) {
            var canary: [UInt8] = []
            try SecretBytes.random(byteCount: 24).withBytes { canary = $0.copied() }
            text = .sealed(Base64.encode(canary))
        } catch {
            throw SecretServiceError(.refused, detail: "there is no memory for a canary")
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
            guard isKept else { throw SecretServiceError(.itemDamaged, detail: "another content came back") }
        }
    }
}
