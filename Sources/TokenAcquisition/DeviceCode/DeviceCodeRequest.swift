// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A request for tokens with a device code (RFC 8628): the user signs in with a browser elsewhere.
public struct DeviceCodeRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String]
    /// The authority; nil for the configuration's.
    public var authority: Authority?
    /// The claims that the token must have.
    public var claims: ClaimsRequest?
    /// Fields that both requests have in addition. They replace none of the protocol's.
    public var extraParameters: [String: String] = [:]
    /// The id of the requests; nil for a fresh one.
    public var correlationID: CorrelationID?

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

    /// No children: parameters may name the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What to show to the user, who enters the code at the address with a browser on any device.
///
/// All texts are the server's. They contain no control or invisible characters, so that they can be printed on a terminal.
/// Show the host of the address. Do not open an address unasked.
///
/// > Important: Whoever enters the code signs this application in. Someone who obtains a code can send it to others and
/// > make them sign in for him (RFC 8628, section 5.4): use a device code only where there is no browser.
public struct DeviceCodePrompt: Hashable, Sendable {
    /// The code to enter.
    public let userCode: String
    /// The address to enter it at: `https`, or `http` on this machine.
    public let verificationURI: String
    /// The host of that address.
    public let verificationHost: String
    /// An address that contains the code already, for a QR code; nil if the server offers none.
    public let verificationURIComplete: String?
    /// Until when the code can be entered.
    public let expiresOn: Timestamp
    /// The server's instructions, or a sentence of this library.
    public let message: String
}

extension DeviceCodePrompt: CustomStringConvertible, CustomReflectable {
    /// The host and the expiry; not the code.
    public var description: String { "DeviceCodePrompt(\(verificationHost), expires on \(expiresOn))" }

    /// No children, so that the code does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
