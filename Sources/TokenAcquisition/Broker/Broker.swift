// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A program of the system that has sign-ins of its own and gets tokens with them, such as Microsoft's identity broker on
/// managed devices.
///
/// This library contains no broker. If ``Services/broker`` is set, a silent request without a valid token in the cache asks
/// it before the refresh token in the cache is redeemed; each process asks for itself. The broker's response is checked
/// and kept like one of the server's, so that the next request, of any process of the group, finds the token in the cache.
public protocol Broker: Sendable {
    /// Gets a token without the user.
    ///
    /// - Parameter request: what is requested.
    /// - Returns: the body of the token endpoint's response, as JSON; nil if the broker does not run, or has no sign-in of
    ///   the account: the client then goes on without it.
    /// - Throws: ``AcquisitionError``, which ends the request: ``AcquisitionError/Code/interactionRequired`` if the broker
    ///   needs the user, ``AcquisitionError/Code/deviceRegistrationRequired`` if the device is not registered.
    func tokenResponse(for request: BrokerRequest) async throws(AcquisitionError) -> [UInt8]?
}

/// A request for a token to a broker.
public struct BrokerRequest: Sendable {
    /// The client id of the application.
    public let clientID: String
    /// The authority. `common` and `organizations` mean the account's home tenant.
    public let authority: Authority
    /// The scopes that the token must have.
    public let scopes: [String]
    /// The account.
    public let account: Account
    /// Whether the application wants a new token, although it may have a valid one: an API may have rejected that.
    public let ignoresStoredTokens: Bool
    /// The claims that the token must have, with the capabilities of the application, as JSON; nil for none.
    public let claims: String?
    /// Fields that bind the token to a key; empty for a bearer token.
    public let tokenRequestParameters: [String: String]
    /// The id of the request.
    public let correlationID: CorrelationID
    /// How long the client waits.
    public let timeout: Duration
}

extension BrokerRequest: CustomStringConvertible, CustomReflectable {
    /// The authority and the number of scopes; no identity.
    public var description: String { "BrokerRequest(\(authority), \(scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
