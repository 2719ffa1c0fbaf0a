// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension GroupReference {
    /// Makes a damaged group usable again: keeps what verifies, and moves the rest to the group's folder `quarantine`.
    ///
    /// It keeps every account of the file's main part and every later change whose list of records verifies, record by
    /// record. Opening a group never repairs it, and an undamaged group is not changed. A lost change may have signed
    /// accounts out; its accounts then appear as they were before. If the journal is missing, empty
    /// or not a journal at all, or none of its headers verifies, it is quarantined, and the group starts over, empty.
    ///
    /// - Parameter isDryRun: whether to report what would be done without doing it.
    /// - Returns: what was found and done.
    /// - Throws: `notFound`, `keyMissing`, `keyRejected`, `foreign`, `busy`. The group is then unchanged.
    public func repair(isDryRun: Bool = false) throws(TokenCacheError) -> RepairReport {
        let opener = try opener()
        return try translating(try opener.repair(isDryRun: isDryRun))
    }

    /// Accepts the group's file as it is, although the group's folder or the keyring has recorded a newer state, and
    /// repairs it if it is damaged. The file is written anew, and continues behind the newest known change.
    ///
    /// If the group opens, there is nothing to accept, and this only repairs it. The missing changes may have signed
    /// accounts out: ``RepairReport/missingTransactionCount`` is their number.
    ///
    /// - Parameter isDryRun: whether to report what would be done without doing it.
    /// - Returns: what was found and done.
    /// - Throws: errors of opening the group and of the keyring.
    public func acceptRollback(isDryRun: Bool = false) throws(TokenCacheError) -> RepairReport {
        let opener = try opener()
        return try translating(try opener.acceptRollback(isDryRun: isDryRun))
    }

    /// Makes the group in a copied or renamed folder a group of its own, with another UUID, new keys and its own key file,
    /// or the passphrase if one was given; repairs it first if it is damaged. A folder without a group adopts the group that
    /// the keyring holds under this name.
    ///
    /// - Parameter collection: the collection of the keyring; by default the default collection.
    /// - Returns: what was repaired, and the key files and items of the keyring that stay with the original.
    /// - Throws: `exists` if the folder's own group can be opened, so that there is nothing to adopt; `notFound` if the
    ///   keyring holds none; and errors of the keyring and of opening the group.
    public func adopt(collection: String? = nil) throws(TokenCacheError) -> RepairReport {
        let opener = try opener()
        return try translating(try opener.adopt(collection: collection))
    }
}
