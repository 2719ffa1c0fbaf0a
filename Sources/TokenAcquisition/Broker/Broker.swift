// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A program of the system that holds sign-ins of its own and gets tokens with them, such as Microsoft's identity
/// broker on managed devices.
///
/// This library contains no broker. If ``Services/broker`` is set, a silent request that finds no valid token in the
/// cache asks the broker before it redeems a refresh token of the cache; each process asks for itself. The broker's
/// response is checked and saved like a server's, so that the next request in any process of the group finds the token
/// in the cache.
public protocol Broker: Sendable {
    /// Gets a token without prompting the user.
    ///
    /// - Parameter request: what is requested.
    /// - Returns: the body of the token endpoint's response, as JSON; nil if the broker does not run, or has no sign-in
    ///   for the account: the client then continues without it.
    /// - Throws: ``AcquisitionError``, which ends the request: ``AcquisitionError/Code/interactionRequired`` if the
    ///   broker needs to prompt the user, ``AcquisitionError/Code/deviceRegistrationRequired`` if the device is not
    ///   registered.
    func tokenResponse(for request: BrokerRequest) async throws(AcquisitionError) -> [UInt8]?
}

/// A request to a broker for a token.
public struct BrokerRequest: Sendable {
    /// The client id of the application.
    public let clientID: String
    /// The authority. `common` and `organizations` mean the account's home tenant.
    public let authority: Authority
    /// The scopes that the token must have.
    public let scopes: [String]
    /// The account.
    public let account: Account
    /// Whether the application needs a new token although it may have a valid one, for example because an API rejected
    /// that.
    public let forceRefresh: Bool
    /// The claims that the token must have, merged with the application's capabilities, as JSON; nil for none.
    public let claims: String?
    /// Parameters that bind the token to a key; empty for a bearer token.
    public let tokenRequestParameters: [String: String]
    /// The correlation id of the request.
    public let correlationID: CorrelationID
    /// How long the client waits for the broker.
    public let timeout: Duration

    /// Creates a request, for tests of a broker.
    ///
    /// - Parameters:
    ///   - clientID: the client id of the application.
    ///   - authority: the authority.
    ///   - scopes: the scopes that the token must have.
    ///   - account: the account, such as one of a cache that was opened with `StorageChoice.memory`.
    ///   - forceRefresh: whether the application needs a new token although it may have a valid one.
    ///   - claims: the claims that the token must have, as JSON; nil for none.
    ///   - tokenRequestParameters: parameters that bind the token to a key; empty for a bearer token.
    ///   - correlationID: the correlation id; by default a new one.
    ///   - timeout: how long the client waits for the broker.
    public init(
        clientID: String,
        authority: Authority,
        scopes: [String],
        account: Account,
        forceRefresh: Bool = false,
        claims: String? = nil,
        tokenRequestParameters: [String: String] = [:],
        correlationID: CorrelationID = CorrelationID(),
        timeout: Duration = .seconds(60)
    ) {
        self.clientID = clientID
        self.authority = authority
        self.scopes = scopes
        self.account = account
        self.forceRefresh = forceRefresh
        self.claims = claims
        self.tokenRequestParameters = tokenRequestParameters
        self.correlationID = correlationID
        self.timeout = timeout
    }
}

extension BrokerRequest: CustomStringConvertible, CustomReflectable {
    /// The authority and the number of scopes, without identities.
    public var description: String { "BrokerRequest(\(authority), \(scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
