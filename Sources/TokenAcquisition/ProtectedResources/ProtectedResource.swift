// SPDX-License-Identifier: Apache-2.0

public import TokenCaching
internal import UnifiedSchema

/// A protected API, and the client that gets tokens for it.
///
/// ```swift
/// // An API answered 401, with this header.
/// let request = ProtectedResourceRequest(address: url, wwwAuthenticate: header)
/// let api = try await ProtectedResource.find(request, in: cache, services: services)
/// let client = try await PublicClient.open(api.configuration, group: group, services: services)
/// var signIn = InteractiveRequest(scopes: api.scopes)
/// (signIn.resource, signIn.accountID) = (api.resource, api.accountID)
/// let result = try await client.acquireToken(signIn)
/// ```
public struct ProtectedResource: Hashable, Sendable {
    /// The address of the API.
    public let address: String
    /// The scopes of its tokens.
    public let scopes: [String]
    /// The client, its authority and its redirect URI.
    public private(set) var configuration: ClientConfiguration
    /// The scopes for which the client was registered; nil for one that the application registered.
    private var registeredScopes: [String]?

    /// The resource of requests for its tokens (RFC 8707); nil at Microsoft's servers, where the scopes name the API.
    public var resource: String? { configuration.authority.kind.isMicrosoft ? nil : address }

    /// The account to sign in at an authority that does not say who signed in; nil at others.
    public var accountID: Account.ID? { configuration.authority.kind.namesUsers ? nil : Account.ID("user") }

    /// Finds the authority of an API, and a client there, and keeps both in the group, sealed, for ``kept(at:in:)``.
    ///
    /// Asks the API without a token, unless the request has its challenge; reads the API's metadata (RFC 9728), which has to
    /// name exactly the requested address, and that of its authority. A client that the group keeps for the API, or that
    /// was registered at the same authority for these scopes, is used again. If there is none, a public client is registered
    /// (RFC 7591). Of several processes at once, all use the client of one. The group keeps clients of 64 addresses.
    ///
    /// - Parameters:
    ///   - request: the address of the API.
    ///   - cache: any cache of the group.
    ///   - services: the transport, the clock, and the listener that finds a port for the redirect URI.
    /// - Returns: the API with its client.
    /// - Throws: ``AcquisitionError/Code/severalAuthorizationServers``; ``AcquisitionError/Code/requestRejected`` for an
    ///   address that is none; ``AcquisitionError/Code/configurationRejected`` if no client is named and the authority
    ///   registers none, or if neither the request nor the API names an authority; ``AcquisitionError/Code/serverRefused``
    ///   if it refuses the registration; ``AcquisitionError/Code/authorityRejected``,
    ///   ``AcquisitionError/Code/issuerRejected`` or ``AcquisitionError/Code/responseRejected`` for metadata or a
    ///   registration that cannot be trusted, after which nothing is kept; ``AcquisitionError/Code/redirectUnavailable``,
    ///   ``AcquisitionError/Code/networkFailed``, ``AcquisitionError/Code/serverUnavailable``,
    ///   ``AcquisitionError/Code/throttled``, ``AcquisitionError/Code/timeout``, ``AcquisitionError/Code/cancelled``,
    ///   ``AcquisitionError/Code/cacheFailed``.
    public static func find(
        _ request: ProtectedResourceRequest,
        in cache: TokenCache,
        services: Services
    ) async throws(AcquisitionError) -> ProtectedResource {
        // The group does not keep all that is needed here.
        let discovery = Discovery(ClientConfiguration(clientID: request.address), services, store: nil)
        let described = try await ResourceMetadata(request, services, discovery)
        var authority = try described.authority(request.authority)
        var scopes = request.scopes.isEmpty ? described.scopes : request.scopes
        let timeout = RequestDeadline.longestRequest * 2
        let needed: OptionalEndpoint? = request.clientID == nil ? .registration : nil
        let metadata = try await discovery.finding(for: authority, naming: needed, timeout: timeout).metadata
        if authority.kind == .openIDConnect, !metadata.hasIDTokens {
            authority = try .oauth(
                url: authority.url,
                endpoints: Authority.Endpoints(
                    token: metadata.tokenEndpoint,
                    authorization: try metadata.url(of: .authorization),
                    deviceAuthorization: try metadata.url(of: .deviceAuthorization),
                    revocation: try metadata.url(of: .revocation)
                )
            )
        }
        if scopes.isEmpty { scopes = ["openid"] }
        let all = try await all(in: cache)
        let known = all.last { $0.address == request.address }
        func isUsable(_ other: ProtectedResource) -> Bool {
            let redirectURI = other.configuration.redirectURI
            return other.configuration.authority.url == authority.url
                && (request.redirectURI ?? redirectURI) == redirectURI
                && (other.registeredScopes.map { scopes.allSatisfy($0.contains) } ?? (other == known))
        }
        var found = ProtectedResource(
            address: request.address,
            scopes: scopes,
            configuration: ClientConfiguration(clientID: request.clientID ?? "", authority: authority)
        )
        found.configuration.redirectURI = request.redirectURI
        if request.clientID != nil {
            // The application registered it.
        } else if !request.registersAnew,
            let other = ([known].compactMap(\.self) + all.reversed()).first(where: isUsable)
        {
            found.configuration.clientID = other.configuration.clientID
            found.configuration.redirectURI = other.configuration.redirectURI
            found.registeredScopes = other.registeredScopes
        } else {
            try await found.register(request, metadata, services)
        }
        do throws(TokenCacheError) {
            let kept = try await cache.keep(resource: found.json, replacing: known?.json)
            guard kept != found.json, var other = ProtectedResource(kept) else { return found }
            other.configuration.authority = authority
            return other
        } catch {
            throw AcquisitionError(error)
        }
    }

    /// Returns what ``find(_:in:services:)`` found for an address in a process of the group. Sends nothing.
    ///
    /// - Parameters:
    ///   - address: the address of the API.
    ///   - cache: any cache of the group.
    /// - Returns: the API with its client; nil if the group keeps none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public static func kept(
        at address: String,
        in cache: TokenCache
    ) async throws(AcquisitionError) -> ProtectedResource? {
        try await all(in: cache).last { $0.address == address }
    }

    private static func all(in cache: TokenCache) async throws(AcquisitionError) -> [ProtectedResource] {
        do throws(TokenCacheError) {
            return try await cache.resources().compactMap(ProtectedResource.init)
        } catch {
            throw AcquisitionError(error)
        }
    }

    /// Registers a client at the authority.
    private mutating func register(
        _ request: ProtectedResourceRequest,
        _ metadata: ProviderMetadata,
        _ services: Services
    ) async throws(AcquisitionError) {
        guard let url = try metadata.url(of: .registration) else {
            throw AcquisitionError(
                .configurationRejected,
                detail: "no client is named, and the authority registers none"
            ) { $0.authorizationServers = [configuration.authority.url] }
        }
        let redirectURI =
            if let uri = request.redirectURI { uri } else { try await Self.freeRedirectURI(services) }
        let endpoint = TokenEndpoint(
            configuration: configuration,
            services: services,
            authority: configuration.authority,
            metadata: metadata,
            correlationID: CorrelationID(),
            deadline: RequestDeadline(after: RequestDeadline.longestRequest)
        )
        let registration = ClientRegistration(
            name: request.clientName,
            redirectURI: redirectURI,
            scopes: try endpoint.signInScopes(scopes),
            usesDeviceCodes: !metadata.lacks(.deviceAuthorization)
        )
        configuration.clientID = try await registration.register(at: url, services)
        configuration.redirectURI = redirectURI
        registeredScopes = scopes
    }

    /// A redirect URI whose port is free now.
    private static func freeRedirectURI(_ services: Services) async throws(AcquisitionError) -> String {
        let plain = "http://127.0.0.1"
        guard let listener = services.redirectListener else { return plain }
        let session = try await listener.listen(at: plain)
        await session.close()
        return session.redirectURI
    }
}

extension ProtectedResource {
    /// What the group keeps, which is checked as if a server had sent it; nil if that is not acceptable.
    fileprivate init?(_ json: JSONValue) {
        func text(_ name: UTF8Text) -> String? { json[name]?.text?.string }
        func scopes(_ name: UTF8Text) -> [String]? { text(name)?.split(separator: " ").map(String.init) }
        guard let address = text("resource"), let url = text("authority"), let all = scopes("scope"),
            let clientID = text("client_id"), clientID.isClientID,
            let authority = try? text("token_endpoint").map({ try .oauth(url: url, endpoints: .init(token: $0)) })
                ?? Authority(url)
        else { return nil }
        self.init(
            address: address,
            scopes: all,
            configuration: ClientConfiguration(clientID: clientID, authority: authority),
            registeredScopes: scopes("registered_scope")
        )
        configuration.redirectURI = text("redirect_uri")
    }

    fileprivate var json: JSONValue {
        let members: [(UTF8Text, String?)] = [
            ("resource", address), ("authority", configuration.authority.url),
            ("token_endpoint", configuration.authority.endpoints?.token), ("client_id", configuration.clientID),
            ("redirect_uri", configuration.redirectURI), ("scope", scopes.joined(separator: " ")),
            ("registered_scope", registeredScopes?.joined(separator: " ")),
        ]
        return .object(
            members.compactMap { name, text in text.map { JSONValue.Member(name: name, value: .string(UTF8Text($0))) } }
        )
    }
}

extension ProtectedResource: CustomStringConvertible, CustomReflectable {
    /// The authority.
    public var description: String { "ProtectedResource(\(configuration.authority))" }

    /// No children, because an address may be confidential.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
