internal import RecordStorage

/// The changes that one transaction makes to items, in the order in which they are made.
struct KeyringWriting: Sendable {
    struct Write: Sendable {
        let attributes: [(key: String, value: String)]
        /// What the item is to hold; `nil` if it is to go.
        let text: SecretText?
        /// Whether it is known that there is no such item. Searching takes a service the longer the more it holds.
        let isNew: Bool
    }

    var writes: [Write] = []

    /// Makes the changes. A known item is found again and given another content; services that replace by themselves
    /// may take the wrong one.
    ///
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
            // Twice the same is what a service leaves that was killed, or the user who copied items.
            for item in found.dropFirst() { try calls.delete(item) }
        }
    }
}
