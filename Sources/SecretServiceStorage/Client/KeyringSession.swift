// SPDX-License-Identifier: Apache-2.0

/// An open connection to one run of the service, and the collection in use.
///
/// Every call goes to the unique bus name of that run, so calls fail when another service replaces it. Confined to the
/// thread of its client.
final class KeyringSession {
    let connection: BusConnection
    let owner: String
    let session: SecretSession
    /// The path of the collection.
    let collection: String

    /// The name of the collection, such as `login`.
    var collectionName: String { collection.split(separator: "/").last.map(String.init) ?? collection }

    /// Whether a secret was transferred intact. In about one KWallet session in a hundred the two ends derive different
    /// keys, because KWallet alone treats a shared number that begins with a zero differently.
    var isProven = false

    init(connection: BusConnection, owner: String, session: SecretSession, collection: String) {
        self.connection = connection
        self.owner = owner
        self.session = session
        self.collection = collection
    }
}

/// Whether the keyring may prompt the user.
package enum PromptPolicy: Hashable, Sendable {
    /// No prompts: operations that need one fail.
    case never
    /// Prompts may wait for the user until the deadline of the call.
    case allowed
}
