// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The changes of one transaction to items, in order.
struct KeyringWriting: Sendable {
    struct Write: Sendable {
        let attributes: [(key: String, value: String)]
        /// The new content of the item; `nil` to delete it.
        let text: SecretText?
        /// Whether the item is known not to exist. Searching takes a service longer the more items it holds.
        let isNew: Bool
    }

    var writes: [Write] = []

    /// Makes the changes. An existing item is found first and then replaced; services that replace by attributes may
    /// take the wrong one.
    func perform(_ calls: KeyringCalls) throws(SecretServiceError) {
        for write in writes {
            if write.isNew, let text = write.text {
                _ = try calls.create(write.attributes, label: KeyringAttributes.label, text)
                continue
            }
            let found = try calls.search(write.attributes)
            if found.contains(where: \.isLocked) { throw SecretServiceError(.locked) }
            guard let text = write.text else {
                for item in found { try calls.delete(item) }
                continue
            }
            guard let first = found.first else {
                _ = try calls.create(write.attributes, label: KeyringAttributes.label, text)
                continue
            }
            try calls.set(first, to: text)
            // Duplicates are left by a service that was killed, or by a user who copied items.
            for item in found.dropFirst() { try calls.delete(item) }
        }
    }
}
