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
/// try await api.keep(in: cache, after: result)
/// ```
public struct ProtectedResource: Hashable, Sendable {
    /// The address of the API.
    public let address: String
    /// The scopes of its tokens.
    public private(set) var scopes: [String]
    /// The client, its authority and its redirect URI.
    public private(set) var configuration: ClientConfiguration
    /// The scopes for which the client was registered; nil for one that the application registered.
    private var registeredScopes: [String]?

    /// The resource of requests for its tokens (RFC 8707); nil at Microsoft's servers, where the scopes name the API.
    public var resource: String? { configuration.authority.kind.isMicrosoft ? nil : address }

    /// The account to sign in at an authority that does not say who signed in; nil at others.
    public var accountID: Account.ID? { configuration.authority.kind.namesUsers ? nil : Account.ID("user") }

    /// Finds the authority of an API, and a client there.
    ///
    /// Asks the API without a token, unless the request has its challenge; reads the API's metadata (RFC 9728), which has to
    /// name exactly the requested address, and that of its authority. A client with which users signed in for the API, or
    /// that was registered at the same authority for these scopes, is used again. If there is none, a public client is
    /// registered (RFC 7591), and kept in the group, sealed. Of several processes at once, all use the client of one. The group
    /// keeps clients of 64 addresses.
    ///
    /// - Parameters:
    ///   - request: the address of the API.
    ///   - cache: any cache of the group.
    ///   - services: the transport, the clock, and the listener that has to support the redirect URI.
    /// - Returns: the API with its client. After the sign-in, call ``keep(in:after:)``.
    /// - Throws: ``AcquisitionError/Code/severalAuthorizationServers``; ``AcquisitionError/Code/requestRejected`` for an
    ///   address or a client id that is none, and for too many scopes; ``AcquisitionError/Code/configurationRejected`` if no
    ///   client is named and the authority registers none, if neither the request nor the API names an authority, or for a
    ///   redirect URI that the listener does not support; ``AcquisitionError/Code/serverRefused`` if the authority refuses the
    ///   registration; ``AcquisitionError/Code/authorityRejected``, ``AcquisitionError/Code/issuerRejected`` or ``AcquisitionError/Code/responseRejected`` for metadata or a
    ///   registration that cannot be trusted, after which nothing is kept; ``AcquisitionError/Code/redirectUnavailable``,
    ///   ``AcquisitionError/Code/networkFailed``, ``AcquisitionError/Code/serverUnavailable``,
    ///   ``AcquisitionError/Code/throttled``, ``AcquisitionError/Code/timeout``, ``AcquisitionError/Code/cancelled``,
    ///   ``AcquisitionError/Code/cacheFailed``.
    public static func find(
        _ request: ProtectedResourceRequest,
        in cache: TokenCache,
        services: Services
    ) async throws(AcquisitionError) -> ProtectedResource {
        guard request.clientID?.isClientID != false else {
            throw AcquisitionError(.requestRejected, detail: "its client id is none")
        }
        let discovery = Discovery(ClientConfiguration(clientID: ""), services, cache: nil)
        let described = try await ResourceMetadata(request, services, discovery)
        let named = try described.authority(request.authority).with(endpointHosts: request.endpointHosts)
        let metadata = try await discovery.finding(for: named, timeout: RequestDeadline.longestRequest * 2).metadata
        let scopes = request.scopes.isEmpty ? described.scopes : request.scopes
        var found = ProtectedResource(
            address: request.address,
            scopes: scopes.isEmpty ? ["openid"] : scopes,
            configuration: ClientConfiguration(clientID: request.clientID ?? "", authority: named)
        )
        if named.kind == .openIDConnect, !metadata.hasIDTokens {
            found.configuration.authority = try named.withoutIDTokens()
        }
        found.configuration.redirectURI = request.redirectURI
        if let added = request.addedScopes { found.configuration.addedScopes = added }
        let all = try await all(in: cache, endpointHosts: request.endpointHosts)
        if found.leavesScopesToServer, let known = all.last(where: { $0.address == found.address && $0.isOf(named) }) {
            found.scopes = known.scopes
        }
        if request.clientID != nil { return found }
        let (added, kind) = (found.configuration.addedScopes, found.configuration.authority.kind)
        found.registeredScopes = try metadata.signInScopes(found.scopes, adding: added, at: kind)
        let usable = all.filter { $0.serves(found) }
        if !request.registersAnew, let known = usable.last(where: { $0.address == found.address }) ?? usable.last {
            return found.with(known)
        }
        let registered = try await found.registered(at: named, as: request.clientName, discovery, services)
        let kept = try await registered.keep(in: cache, isSignedIn: false) { [found] kept in
            let kept = ProtectedResource(kept, endpointHosts: request.endpointHosts)
            return kept.map { $0.serves(found) && !all.contains($0) } ?? false
        }
        return found.with(ProtectedResource(kept, endpointHosts: request.endpointHosts) ?? registered)
    }

    /// Keeps the API with its client in the group, sealed, for ``kept(at:in:endpointHosts:)``, in place of an earlier one of
    /// the same address. Call it after a sign-in.
    ///
    /// - Parameters:
    ///   - cache: any cache of the group.
    ///   - result: the result of the sign-in. Where the server chose the scopes, because nobody named any, they are those of
    ///     the API from then on.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``; ``AcquisitionError/Code/requestRejected`` for more than 8 KiB.
    public func keep(
        in cache: TokenCache,
        after result: AuthenticationResult? = nil
    ) async throws(AcquisitionError) {
        var api = self
        if leavesScopesToServer, let granted = result?.scopes, !granted.isEmpty { api.scopes = granted }
        let own = api.json(isSignedIn: true)
        _ = try await api.keep(in: cache, isSignedIn: true) { $0 == own }
    }

    /// Whether a sign-in requests no scopes, so that the server chooses them (RFC 6749, section 3.3).
    private var leavesScopesToServer: Bool { !configuration.authority.kind.namesUsers && scopes == ["openid"] }

    private func isOf(_ authority: Authority) -> Bool { configuration.authority.url == authority.url }

    /// Returns what ``keep(in:after:)`` kept for an address in a process of the group. Sends nothing.
    ///
    /// - Parameters:
    ///   - address: the address of the API.
    ///   - cache: any cache of the group.
    ///   - endpointHosts: as for ``ProtectedResourceRequest/endpointHosts``, which the group does not keep.
    /// - Returns: the API with its client; nil if the group keeps none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public static func kept(
        at address: String,
        in cache: TokenCache,
        endpointHosts: [String] = []
    ) async throws(AcquisitionError) -> ProtectedResource? {
        let ofSignIns = try await all(in: cache, endpointHosts: endpointHosts) { $0["scope"] != nil }
        return ofSignIns.last { $0.address == address }
    }

    private static func all(
        in cache: TokenCache,
        endpointHosts: [String],
        where isWanted: (JSONValue) -> Bool = { _ in true }
    ) async throws(AcquisitionError) -> [ProtectedResource] {
        try await usingCache(try await cache.resources()).filter(isWanted).compactMap {
            ProtectedResource($0, endpointHosts: endpointHosts)
        }
    }

    private func keep(
        in cache: TokenCache,
        isSignedIn: Bool,
        unless isEnough: @escaping @Sendable (JSONValue) -> Bool
    ) async throws(AcquisitionError) -> JSONValue {
        try await usingCache(try await cache.keep(resource: json(isSignedIn: isSignedIn), unless: isEnough))
    }

    /// Whether its client can get the tokens of `wanted`.
    private func serves(_ wanted: ProtectedResource) -> Bool {
        let redirectURI = configuration.redirectURI
        return configuration.authority.url == wanted.configuration.authority.url
            && (wanted.configuration.redirectURI ?? redirectURI) == redirectURI
            && (registeredScopes.map { wanted.registeredScopes?.allSatisfy($0.contains) == true }
                ?? (address == wanted.address))
    }

    /// The same API with the client of another one.
    private func with(_ other: ProtectedResource) -> ProtectedResource {
        var api = self
        api.configuration.clientID = other.configuration.clientID
        api.configuration.redirectURI = other.configuration.redirectURI
        api.registeredScopes = other.registeredScopes
        return api
    }

    /// The same API with a client that is registered at the authority.
    private func registered(
        at authority: Authority,
        as name: String,
        _ discovery: Discovery,
        _ services: Services
    ) async throws(AcquisitionError) -> ProtectedResource {
        let timeout = RequestDeadline.longestRequest * 2
        let metadata = try await discovery.finding(for: authority, naming: .registration, timeout: timeout).metadata
        guard let url = try metadata.url(of: .registration) else {
            throw AcquisitionError(.configurationRejected, detail: "the authority registers no clients: name one")
        }
        var redirectURI = configuration.redirectURI ?? "http://127.0.0.1"
        if let listener = services.redirectListener {
            // What nothing can listen at must not be registered.
            let session = try await listener.listen(at: redirectURI)
            await session.close()
            if configuration.redirectURI == nil { redirectURI = session.redirectURI }
        }
        var api = self
        api.configuration.clientID = try await ClientRegistration(
            name: name,
            redirectURI: redirectURI,
            scopes: registeredScopes ?? [],
            usesDeviceCodes: !metadata.lacks(.deviceAuthorization)
        ).register(at: url, services)
        api.configuration.redirectURI = redirectURI
        return api
    }
}

extension ProtectedResource {
    /// What the group keeps, which is checked as if a server had sent it; nil if that is not acceptable.
    fileprivate init?(_ json: JSONValue, endpointHosts: [String]) {
        func text(_ name: UTF8Text) -> String? { json[name]?.text?.string }
        func scopes(_ name: UTF8Text) -> [String]? { text(name)?.split(separator: " ").map(String.init) }
        let registered = scopes("registered_scope")
        guard let address = text("resource"), let url = text("authority"), let all = scopes("scope") ?? registered,
            let clientID = text("client_id"), clientID.isClientID,
            var authority = try? Authority(url).with(endpointHosts: endpointHosts)
        else { return nil }
        if text("kind") == Authority.Kind.oauth.rawValue {
            guard let oauth = try? authority.withoutIDTokens() else { return nil }
            authority = oauth
        }
        self.init(
            address: address,
            scopes: all,
            configuration: ClientConfiguration(clientID: clientID, authority: authority),
            registeredScopes: registered
        )
        configuration.redirectURI = text("redirect_uri")
    }

    fileprivate func json(isSignedIn: Bool) -> JSONValue {
        .object(of: [
            "resource": address, "authority": configuration.authority.url,
            "kind": configuration.authority.kind.rawValue, "client_id": configuration.clientID,
            "redirect_uri": configuration.redirectURI, "scope": isSignedIn ? scopes.joined(separator: " ") : nil,
            "registered_scope": registeredScopes?.joined(separator: " "),
        ])
    }
}

extension ProtectedResource: CustomStringConvertible, CustomReflectable {
    /// The authority.
    public var description: String { "ProtectedResource(\(configuration.authority))" }

    /// No children, because an address may be confidential.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
