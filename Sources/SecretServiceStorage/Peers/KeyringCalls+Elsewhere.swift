/// What other programs keep, in whichever collection. Only read, never changed.
extension KeyringCalls {
    /// The items of all collections that have these attributes, and maybe more; unlocked ones first.
    ///
    /// - Throws: ``SecretServiceError/Code/locked`` where nothing is found and the default collection is locked: what is
    ///   in it is not known then.
    func searchEverywhere(_ attributes: [(key: String, value: String)]) throws(SecretServiceError) -> [KeyringItem] {
        let answer = try read(.searchItems, at: BusName.secretsPath, arguments: [.texts(attributes)], answer: "(aoao)")
        let found =
            answer[0].texts.map { KeyringItem(path: $0, isLocked: false) }
            + answer[1].texts.map { KeyringItem(path: $0, isLocked: true) }
        if found.isEmpty, try isLocked() { throw SecretServiceError(.locked) }
        return found
    }

    /// Has an item unlocked, asking the user where that is allowed.
    ///
    /// - Returns: the item, unlocked.
    func unlocked(_ item: KeyringItem) throws(SecretServiceError) -> KeyringItem {
        guard item.isLocked else { return item }
        try unlock(path: item.path)
        return KeyringItem(path: item.path, isLocked: false)
    }
}
