// SPDX-License-Identifier: Apache-2.0

/// Finds and unlocks items in any collection, including those of other programs.
extension KeyringCalls {
    /// The items of all collections that have these attributes, and possibly others; unlocked ones first.
    ///
    /// - Throws: ``SecretServiceError/Code/locked`` if the search finds no item and the default collection is locked,
    ///   because its contents are then unknown.
    func searchAllCollections(
        _ attributes: [(key: String, value: String)]
    ) throws(SecretServiceError) -> [KeyringItem] {
        let answer = try read(.searchItems, at: BusName.secretsPath, arguments: [.texts(attributes)], answer: "(aoao)")
        let found =
            answer[0].texts.map { KeyringItem(path: $0, isLocked: false) }
            + answer[1].texts.map { KeyringItem(path: $0, isLocked: true) }
        if found.isEmpty, try isLocked() { throw SecretServiceError(.locked) }
        return found
    }

    /// Unlocks an item, prompting the user if allowed.
    ///
    /// - Returns: the item, unlocked.
    func unlocked(_ item: KeyringItem) throws(SecretServiceError) -> KeyringItem {
        guard item.isLocked else { return item }
        try unlock(path: item.path)
        return KeyringItem(path: item.path, isLocked: false)
    }
}
