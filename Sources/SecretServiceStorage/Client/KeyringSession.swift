/// A connection that is ready for use: the bus, the one run of the service that it talks to, and the collection.
///
/// Everything goes to the unique name of that run. Another one that takes its place meanwhile is not talked to unseen.
/// Confined to the thread of its client.
final class KeyringSession {
    let connection: BusConnection
    let owner: String
    let session: SecretSession
    /// The path of the collection.
    let collection: String
    /// Whether a secret came through it whole. KWallet has one session in a hundred whose key differs at both ends: it reads
    /// a shared number that begins with a zero otherwise than everybody else.
    var isProven = false

    init(connection: BusConnection, owner: String, session: SecretSession, collection: String) {
        self.connection = connection
        self.owner = owner
        self.session = session
        self.collection = collection
    }
}

/// Whether the keyring may ask the user something.
package enum PromptPolicy: Hashable, Sendable {
    /// Never: what would need it fails.
    case never
    /// Until the deadline of the call.
    case allowed
}
