// SPDX-License-Identifier: Apache-2.0

/// What an application registered, and how its client behaves.
///
/// ```swift
/// var configuration = ClientConfiguration(clientID: "6c051b1e-…", authority: .organizations)
/// configuration.clientCapabilities = ["cp1"]
/// ```
public struct ClientConfiguration: Hashable, Sendable {
    /// The id of the application's registration.
    public var clientID: String

    /// The authority for requests that name none.
    public var authority: Authority

    /// The redirect URI, as the application registered it.
    ///
    /// | registered | listens on |
    /// | --- | --- |
    /// | `http://localhost`, for Microsoft Entra: any port is allowed | any free port of 127.0.0.1 and ::1 |
    /// | `http://127.0.0.1/PATH` or `http://[::1]/PATH`, where servers follow RFC 8252, section 7.3 | any free port |
    /// | `http://localhost:PORT/PATH`, for servers that compare redirect URIs exactly | that port |
    /// | `com.example.app:/PATH`, a scheme of the application's own (<doc:CustomSchemes>) | a socket of this user |
    public var redirectURI = "http://localhost"

    /// Authorities on hosts of Microsoft's that are trusted without asking Microsoft's global service.
    public var knownAuthorities: [Authority] = []

    /// What the application is capable of: `cp1` means that it handles claims challenges. Sent with every request; access
    /// tokens may then live longer.
    public var clientCapabilities: [String] = []

    /// Whether an expired access token is handed out within its extended lifetime while the server cannot be reached.
    public var allowsExtendedLifetime = false

    /// How long before its expiry a token counts as expired; nil for the cache's rule.
    public var expirationMargin: Duration?

    /// Whether a token that the server wants renewed early is renewed in the background, while the valid one is handed
    /// out. Commands that end at once turn it off: the token is then renewed when it has expired.
    public var renewsInBackground = true

    /// Fields that every request to the token endpoint, and for a device code, has in addition. They replace none of the
    /// protocol's, and are never in a URL: ``InteractiveRequest/extraParameters`` are. Every authority that a request names
    /// receives them: for one that must not see them, use a client of its own.
    public var extraParameters: [String: String] = [:]

    /// The application's name for the server's logs; sent to Microsoft's hosts only.
    public var applicationName: String?

    /// The application's version for the server's logs; sent to Microsoft's hosts only.
    public var applicationVersion: String?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - clientID: the id of the application's registration.
    ///   - authority: the authority for requests that name none.
    public init(clientID: String, authority: Authority = .common) {
        self.clientID = clientID
        self.authority = authority
    }
}

extension ClientConfiguration: CustomStringConvertible, CustomReflectable {
    /// The authority; extra parameters may be secret.
    public var description: String { "ClientConfiguration(\(authority))" }

    /// No children: extra parameters may be secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
