// SPDX-License-Identifier: Apache-2.0

/// An open connection: the bus, the run of the service that it talks to, and the collection.
///
/// Every call goes to the unique name of that run, so a service that replaces it is noticed. Confined to the thread of
/// its client.
final class KeyringSession {
    let connection: BusConnection
    let owner: String
    let session: SecretSession
    /// The path of the collection.
    let collection: String

    /// The name of the collection, such as `login`.
    var collectionName: String { collection.split(separator: "/").last.map(String.init) ?? collection }

    /// Whether a secret was transferred intact. In about one KWallet session in a hundred the two ends derive different
    /// keys, because it interprets a shared number that begins with a zero differently from everyone else.
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
    /// Never: operations that need a prompt fail.
    case never
    /// Until the deadline of the call.
    case allowed
}
