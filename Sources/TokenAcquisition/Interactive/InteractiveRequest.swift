// SPDX-License-Identifier: Apache-2.0

public import TokenCaching
internal import UnifiedSchema

/// A request for tokens with the browser: authorization code with PKCE (RFC 6749, section 4.1; RFC 7636; RFC 8252).
public struct InteractiveRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String]
    /// Additional scopes for the user to consent to, for later requests. The token does not have them.
    public var extraScopesToConsent: [String] = []
    /// Which page the server shows even if it is not necessary.
    public var prompt = Prompt.ifNecessary
    /// The username to fill in; nil for the account's. Without an ``account``, an id token that contains usernames must
    /// contain this one. If the server knows the user by a name that it does not return, pass that name in
    /// ``extraParameters`` as `login_hint`, which is not compared.
    public var loginHint: String?
    /// The domain of the user, so that Microsoft's servers forward the user to its sign-in page at once.
    public var domainHint: String?
    /// The account that must sign in: tokens of another account are not saved.
    public var account: Account?
    /// The account that signs in, at an authority of the kind ``Authority/Kind/oauth``, whose responses name nobody: any id,
    /// such as a username, under which the tokens are kept. Nobody checks that it is the user in the browser. Nil at all
    /// other authorities, whose id tokens name the account.
    public var accountID: Account.ID?
    /// The authority; nil for the authority of the configuration.
    public var authority: Authority?
    /// The claims that the token must have.
    public var claims: ClaimsRequest?
    /// The maximum time since the user entered the password, in whole seconds; checked in the id token. Nil for any
    /// time.
    public var maximumAge: Duration?
    /// How the server returns the response; nil for a form if the server's metadata lists that, otherwise a query.
    public var responseMode: ResponseMode?
    /// Additional parameters of the authorization request and the token request. They cannot replace parameters of the
    /// protocol, and are in a URL, so they must not be secret.
    public var extraParameters: [String: String] = [:]
    /// Additional parameters that isolate the token in the cache: a token that was requested with others, or without any, is
    /// never returned. They have the rules of `ExtendedCacheKey.init(requestParameters:)`, and are sent with each request.
    public var isolatedParameters: [String: String] = [:]
    /// The correlation id of the requests; nil for a new one.
    public var correlationID: CorrelationID?
    /// The timeout of the whole call, including the user's time.
    public var timeout = Duration.seconds(300)
    /// Called when the page was opened, with a ``BrowserWindow`` that opens it again: for a button of the application,
    /// beside the one that cancels the task. Return at once.
    public var onBrowserOpened: (@Sendable (BrowserWindow) -> Void)?

    /// Creates a request, for example after a silent request that required interaction:
    ///
    /// ```swift
    /// InteractiveRequest(scopes: scopes, account: account, claims: error.claimsToRequest)
    /// ```
    ///
    /// - Parameters:
    ///   - scopes: the scopes that the token must have.
    ///   - account: the account that must sign in; nil for any.
    ///   - claims: the claims that the token must have; after a silent request ``AcquisitionError/claimsToRequest`` of
    ///     its error, without which the next silent request may fail for the same reason.
    public init(scopes: [String], account: Account? = nil, claims: ClaimsRequest? = nil) {
        self.scopes = scopes
        self.account = account
        self.claims = claims
    }
}

extension InteractiveRequest {
    /// The username to fill in; nil if there is none.
    var hint: String? {
        let hint = loginHint ?? account?.username ?? ""
        return hint.isEmpty ? nil : hint
    }

    /// Whether a sign-in with this account for another request may satisfy this request too.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - named: the one that the request names at an authority that does not say who signed in.
    /// - Returns: whether it may.
    func accepts(_ account: Account, named: Account.ID?) -> Bool {
        guard prompt == .ifNecessary, maximumAge == nil, extraScopesToConsent.isEmpty else { return false }
        // The effect of these parameters on the sign-in is unknown here.
        guard extraParameters.isEmpty, domainHint == nil else { return false }
        guard isolatedParameters.keys.allSatisfy({ $0 == "resource" || $0 == "audience" }) else { return false }
        if let wanted = named ?? self.account?.id {
            return HomeAccountID.areSame(UTF8Text(wanted.text), UTF8Text(account.id.text))
        }
        guard let hint else { return true }
        return account.username?.lowercased() == hint.lowercased()
    }
}

extension InteractiveRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes.
    public var description: String { "InteractiveRequest(\(scopes.count) scopes)" }

    /// No children, because hints and parameters may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which page the server shows even if it is not necessary (OpenID Connect Core, section 3.1.2.1).
@nonexhaustive
public enum Prompt: String, Hashable, Sendable {
    /// Only the necessary pages; none if the browser has a session.
    case ifNecessary = ""
    /// The page to choose an account.
    case selectAccount = "select_account"
    /// The sign-in page, even if there is a session.
    case login
    /// The consent page, even if the user has consented.
    case consent
    /// The page to create an account (Initiating User Registration via OpenID Connect).
    case create
}

/// How the browser returns an authorization response.
@nonexhaustive
public enum ResponseMode: String, Hashable, Sendable {
    /// As a form that the browser posts: the code is in no URL and in no history (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
    /// As the query of the redirect URI.
    case query
}
