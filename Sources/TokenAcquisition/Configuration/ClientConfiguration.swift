// SPDX-License-Identifier: Apache-2.0

/// An application's registration, and how its client behaves.
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

    /// What the client authenticates with; nil, the default, for a public client. It is sent with every request to the token
    /// endpoint, for a device code and for a revocation, of ``authority``, or of another tenant in the same cloud: a request
    /// that names another issuer fails with ``AcquisitionError/Code/configurationRejected``.
    public var credential: ClientCredential?

    /// The redirect URI, as the application registered it; nil for `http://127.0.0.1` at authorities of the kind
    /// ``Authority/Kind/openIDConnect``, whose servers are to accept it with any port (RFC 8252, section 7.3), and for
    /// `http://localhost` at Microsoft's.
    ///
    /// | registered | listens on |
    /// | --- | --- |
    /// | `http://localhost`, for Microsoft Entra: any port is allowed | any free port of 127.0.0.1 and ::1 |
    /// | `http://127.0.0.1/PATH` or `http://[::1]/PATH`, where servers follow RFC 8252, section 7.3 | any free port |
    /// | `http://localhost:PORT/PATH`, for servers that compare redirect URIs exactly | that port |
    public var redirectURI: String?

    /// Whether each issuer has a redirect URI of its own, so that no server can pass for another one: see
    /// ``redirectURI(at:)`` for the URI to register there.
    public var redirectPath = RedirectPath.asConfigured

    /// Issuers at which users may sign in although they signed in at others with the same redirect URI, and the server
    /// does not name itself in its responses (RFC 9207): a server that forwards the browser to one of the others would
    /// get its code (RFC 9700, section 4.4). The first issuer, and one that was allowed before, need not be listed.
    public var allowedIssuers: [String] = []

    /// Authorities on hosts of Microsoft's that the client trusts without asking Microsoft's global service.
    public var knownAuthorities: [Authority] = []

    /// The scopes that every sign-in requests in addition to the request's own: for the id token, the user's name and a
    /// refresh token. Of those other than `openid`, a server that lists its scopes in its metadata is asked only for the
    /// listed ones.
    ///
    /// Leave out what the registration at the server must not have. A sign-in without `openid` is refused, because the
    /// server would not say who signed in. Some servers grant `offline_access` only with ``Prompt/consent`` (OpenID
    /// Connect Core, section 11).
    public var addedScopes = ["openid", "profile", "offline_access"]

    /// The capabilities of the application: `cp1` means that it handles claims challenges. Sent with every request;
    /// access tokens may then live longer.
    public var clientCapabilities: [String] = []

    /// Whether to return an expired access token within its extended lifetime while the server cannot be reached.
    public var allowsExtendedLifetime = false

    /// How long before its expiry a token counts as expired; nil for the cache's default.
    public var expirationMargin: Duration?

    /// Whether to renew a token in the background once the server wants it renewed, and return the token that is still
    /// valid. Turn it off in commands that end at once: the token is then renewed when it has expired.
    public var renewsInBackground = true

    /// Additional parameters of every request to the token endpoint and for a device code. They cannot replace
    /// parameters of the protocol, and are never in a URL, unlike ``InteractiveRequest/extraParameters``. Every
    /// authority that a request names receives them: for an authority that must not see them, use a separate client.
    public var extraParameters: [String: String] = [:]

    /// The application's name, for the server's logs. Sent only to Microsoft's hosts.
    public var applicationName: String?

    /// The application's version, for the server's logs. Sent only to Microsoft's hosts.
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

/// The path of a client's redirect URI.
@nonexhaustive
public enum RedirectPath: Hashable, Sendable {
    /// The configured one, for all issuers.
    case asConfigured
    /// The configured one, followed by a hash of the authority's URL.
    case perIssuer
}

extension ClientConfiguration: CustomStringConvertible, CustomReflectable {
    /// The authority. Extra parameters may be secret.
    public var description: String { "ClientConfiguration(\(authority))" }

    /// No children, because extra parameters may be secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
