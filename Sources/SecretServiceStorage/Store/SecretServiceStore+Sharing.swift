// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage

extension SecretServiceStore {
    package func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        try withCore { _ in }
        return try directory.tryLease(number, in: .keyring)
    }

    /// The new handle has its own connection, so that either handle can be closed without the other.
    package func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore {
        try snapshot(until: deadline)
    }

    package func snapshot(until deadline: Deadline) throws(StorageError) -> SecretServiceStore {
        try withCore { _ in }
        let own = try KeyringItems(SecretServiceClient(items.client.location), directory.name)
        let other = SecretServiceStore(directory, items: own, chain: chain, resealing: resealing, limits: limits)
        _ = try other.move(until: deadline)
        return other
    }

    package func watchChanges() -> any ChangeWatch { directory.watchChanges() }
}
