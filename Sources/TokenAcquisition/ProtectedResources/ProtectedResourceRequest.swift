// SPDX-License-Identifier: Apache-2.0

/// A request for a client of a protected API of which only the address is known.
public struct ProtectedResourceRequest: Sendable {
    /// The address of the API, letter by letter as its metadata names it: an `https` URL, or `http` with a loopback host.
    public var address: String
    /// The header `WWW-Authenticate` of the API's response 401; if it has several, all joined by commas. Nil to ask the API
    /// without a token.
    public var wwwAuthenticate: String?
    /// The authority: one of those that the API names, or any if it names none. Nil for the only one that it names.
    public var authority: Authority?
    /// Hosts besides the authority's own on which its endpoints may be, each with its port unless it is 443; for issuers other
    /// than Microsoft's.
    public var endpointHosts: [String] = []
    /// The client to use. Nil for the one that the group keeps for the API, or else one that is registered.
    public var clientID: String?
    /// The redirect URI of the client. Nil for `http://127.0.0.1` with a port that is free when the client is registered,
    /// because many servers compare the port too; for other clients ``ClientConfiguration/redirectURI(at:)``.
    public var redirectURI: String?
    /// The scopes of the tokens. Empty for those that the API names in its challenge, or else in its metadata; `openid` if it
    /// names none.
    public var scopes: [String] = []
    /// The scopes that the sign-in requests in addition. Nil for the default of ``ClientConfiguration/addedScopes``.
    public var addedScopes: [String]?
    /// The name of the application, which the server shows the user when a client is registered.
    public var clientName = "swift-token-cache"
    /// Whether to register a client although the group keeps one: if the server has forgotten that.
    public var registersAnew = false

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - address: the address of the API.
    ///   - wwwAuthenticate: the header of its response 401; nil to ask the API.
    public init(address: String, wwwAuthenticate: String? = nil) {
        self.address = address
        self.wwwAuthenticate = wwwAuthenticate
    }
}

extension ProtectedResourceRequest: CustomStringConvertible, CustomReflectable {
    /// The type's name, because an address may be confidential.
    public var description: String { "ProtectedResourceRequest" }

    /// No children, because an address may be confidential.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
