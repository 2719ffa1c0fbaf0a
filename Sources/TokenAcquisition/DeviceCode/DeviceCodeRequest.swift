// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A request for tokens with a device code (RFC 8628): the user signs in with a browser on another device.
public struct DeviceCodeRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String]
    /// The account that signs in, at an authority of the kind ``Authority/Kind/oauth``, whose responses name nobody: any id,
    /// such as a username, under which the tokens are kept. Nobody checks that it is the user in the browser. Nil at all
    /// other authorities, whose id tokens name the account.
    public var accountID: Account.ID?
    /// The authority; nil for the authority of the configuration.
    public var authority: Authority?
    /// The claims that the token must have.
    public var claims: ClaimsRequest?
    /// Additional parameters of both requests. They cannot replace parameters of the protocol.
    public var extraParameters: [String: String] = [:]
    /// Additional parameters that isolate the token in the cache: a token that was requested with others, or without any, is
    /// never returned. They have the rules of `ExtendedCacheKey.init(requestParameters:)`.
    public var isolatedParameters: [String: String] = [:]
    /// The correlation id of the requests; nil for a new one.
    public var correlationID: CorrelationID?
    /// The timeout for finding the server and getting a code from it; one minute by default. The user's time ends
    /// when the code expires.
    public var timeout = Duration.seconds(60)

    /// Creates a request.
    ///
    /// - Parameter scopes: the scopes that the token must have.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}

extension DeviceCodeRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes.
    public var description: String { "DeviceCodeRequest(\(scopes.count) scopes)" }

    /// No children, because parameters may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What to show to users, who enter the code at the address with a browser on any device.
///
/// All texts come from the server. They contain no control characters or invisible characters, so that they can be
/// printed on a terminal. Show the host of the address. Do not open an address unless the user asks for it.
///
/// > Important: Entering the code signs this application in as the user who enters it. An attacker who obtains a code
/// > can send it to other users and have them sign in for the attacker (RFC 8628, section 5.4): use a device code only
/// > where there is no browser.
public struct DeviceCodePrompt: Hashable, Sendable {
    /// The code to enter.
    public let userCode: String
    /// The address at which to enter it: `https`, or `http` on this machine.
    public let verificationURI: String
    /// The host of that address.
    public let verificationHost: String
    /// An address that already contains the code, for a QR code; nil if the server offers none.
    public let verificationURIComplete: String?
    /// When the code expires.
    public let expiresOn: Timestamp
    /// The server's instructions; if it sent none, a sentence of this library.
    public let message: String

    /// Creates a prompt, for tests of code that shows it.
    ///
    /// - Parameters:
    ///   - userCode: the code to enter.
    ///   - verificationURI: the address at which to enter it.
    ///   - verificationHost: the host of that address.
    ///   - verificationURIComplete: an address that already contains the code; nil for none.
    ///   - expiresOn: when the code expires.
    ///   - message: the server's instructions; nil for the sentence of this library.
    public init(
        userCode: String,
        verificationURI: String,
        verificationHost: String,
        verificationURIComplete: String? = nil,
        expiresOn: Timestamp,
        message: String? = nil
    ) {
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationHost = verificationHost
        self.verificationURIComplete = verificationURIComplete
        self.expiresOn = expiresOn
        self.message = message ?? "To sign in, open \(verificationURI) and enter the code \(userCode)."
    }
}

extension DeviceCodePrompt: CustomStringConvertible, CustomReflectable {
    /// The host and the expiry, without the code.
    public var description: String { "DeviceCodePrompt(\(verificationHost), expires on \(expiresOn))" }

    /// No children, so that the code does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
