/// The request that a token response answers: what the response itself does not say.
///
/// ```swift
/// let request = TokenRequest(
///     environment: "login.microsoftonline.com", tenant: "common", scopes: ["User.Read"], grant: .interactive)
/// ```
public struct TokenRequest: Hashable, Sendable {
    /// How the tokens were got.
    public enum Grant: Hashable, Sendable {
        /// The person signed in: authorization code, device code, password. Brings back an account that was signed out.
        case interactive
        /// A refresh token was spent. Never brings back an account that was signed out or removed meanwhile.
        case renewal
        /// The application used its own credentials. There is no account.
        case application
    }

    /// The host of the authority that answered, such as `login.microsoftonline.com`.
    public var environment: String

    /// The tenant that was asked, as id, domain, path of the issuer, or `common`, `organizations`, `consumers`.
    public var tenant: String

    /// The scopes that were asked for. They count as granted where the response does not say.
    public var scopes: [String]

    /// How the tokens were got.
    public var grant: Grant

    /// The home account id that the tokens are for, where it is known: of renewals always. A renewal whose response is of
    /// another account is refused.
    public var account: String?

    /// The id of the key that the access token is bound to, for tokens that are.
    public var keyID: String?

    /// A request.
    ///
    /// - Parameters:
    ///   - environment: the host of the authority that answered.
    ///   - tenant: the tenant that was asked.
    ///   - scopes: the scopes that were asked for.
    ///   - grant: how the tokens were got.
    ///   - account: the home account id that the tokens are for, where it is known.
    ///   - keyID: the id of the key that the access token is bound to.
    public init(
        environment: String,
        tenant: String,
        scopes: [String],
        grant: Grant,
        account: String? = nil,
        keyID: String? = nil
    ) {
        self.environment = environment
        self.tenant = tenant
        self.scopes = scopes
        self.grant = grant
        self.account = account
        self.keyID = keyID
    }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
    /// How the tokens were got; no identity.
    public var description: String { "TokenRequest(\(grant), \(scopes.count) scopes)" }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
