// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The changes of one transaction to items, in order.
struct KeyringWriting: Sendable {
    struct Write: Sendable {
        let attributes: [(key: String, value: String)]
        /// The new content of the item; `nil` to delete it.
        let text: SecretText?
        /// Whether the item is known not to exist, which saves a search. Searches get slower with the number of items.
        let isNew: Bool
    }

    var writes: [Write] = []

    /// Makes the changes. It searches for an existing item and replaces it by path, because services that replace by
    /// attributes may pick the wrong one.
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
            // Delete duplicates, which a killed service or a user who copied items may have left.
            for item in found.dropFirst() { try calls.delete(item) }
        }
    }
}
