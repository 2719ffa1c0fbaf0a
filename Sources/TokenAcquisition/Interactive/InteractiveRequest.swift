// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A request for tokens with the browser: authorization code with PKCE (RFC 6749, section 4.1; RFC 7636; RFC 8252).
public struct InteractiveRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String]
    /// Scopes that the user consents to in addition, for later requests. The token does not have them.
    public var extraScopesToConsent: [String] = []
    /// What the server shows although it could do without.
    public var prompt = Prompt.ifNecessary
    /// The name of the user, to be filled in; nil for the account's. Without an ``account``, an id token that contains names
    /// of the user has to contain this one. A name that the server knows the user by and does not return can be given in
    /// ``extraParameters`` as `login_hint`, which is not compared.
    public var loginHint: String?
    /// The domain of the user, so that Microsoft's servers pass the user on to it at once.
    public var domainHint: String?
    /// The account that has to sign in: the tokens of another one are not saved.
    public var account: Account?
    /// The authority; nil for the configuration's.
    public var authority: Authority?
    /// The claims that the token must have.
    public var claims: ClaimsRequest?
    /// How long ago the user may have entered the password, in whole seconds; checked in the id token. Nil for any time.
    public var maximumAge: Duration?
    /// How the response is returned; nil for a form if the server's metadata lists that, otherwise a query. A request that
    /// names the user goes to the server the same way, so that with a form the name is in no history of the browser.
    public var responseMode: ResponseMode?
    /// Fields that the authorization request and the token request have in addition. They replace none of the protocol's,
    /// and are in a URL, so let none of them be secret.
    public var extraParameters: [String: String] = [:]
    /// The id of the requests; nil for a fresh one.
    public var correlationID: CorrelationID?
    /// The time for everything, the user included.
    public var timeout = Duration.seconds(300)
    /// Is called when the page was opened, with what opens it again: for a button of the application, beside the one that
    /// cancels the task. Return at once.
    public var onBrowserOpened: (@Sendable (BrowserWindow) -> Void)?

    /// Creates a request.
    ///
    /// - Parameter scopes: the scopes that the token must have.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}

extension InteractiveRequest {
    /// The name to be filled in; nil if there is none.
    var hint: String? {
        let hint = loginHint ?? account?.username ?? ""
        return hint.isEmpty ? nil : hint
    }

    /// Whether the authorization request says who the user is.
    var namesUser: Bool {
        hint != nil || ["login_hint", "id_token_hint"].contains { extraParameters[$0] != nil }
    }
}

extension InteractiveRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes.
    public var description: String { "InteractiveRequest(\(scopes.count) scopes)" }

    /// No children: hints and parameters may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the server shows to a user although it could do without (OpenID Connect Core, section 3.1.2.1).
@nonexhaustive
public enum Prompt: String, Hashable, Sendable {
    /// Only what is necessary; nothing if there is a session in the browser.
    case ifNecessary = ""
    /// The choice of an account.
    case selectAccount = "select_account"
    /// The sign-in, although there is a session.
    case login
    /// The consent to the scopes, although it was given.
    case consent
    /// The creation of an account (Initiating User Registration via OpenID Connect).
    case create
}

/// How an authorization response comes back through the browser.
@nonexhaustive
public enum ResponseMode: String, Hashable, Sendable {
    /// As a form that the browser posts: the code is in no URL and no history (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
    /// As the query of the redirect URI.
    case query
}
