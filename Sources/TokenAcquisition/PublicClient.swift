// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// An application that signs users in, for any number of authorities and accounts: a public client (RFC 6749, section 2.1),
/// or one that authenticates with a ``ClientConfiguration/credential``.
///
/// ```swift
/// let client = try await PublicClient.open(
///     ClientConfiguration(clientID: id), group: "com.contoso.sso", services: services)
/// let account = try await client.currentAccount().current
/// ```
///
/// Applications that use the same group share accounts; those of one family share refresh tokens.
public final class PublicClient: Sendable {
    /// The application's registration, and how the client behaves.
    public let configuration: ClientConfiguration

    /// The cache that stores the tokens.
    public let cache: TokenCache

    let services: Services
    let discovery: Discovery
    let background: BackgroundRenewals

    /// Creates a client with an open cache.
    ///
    /// - Parameters:
    ///   - configuration: the application's registration.
    ///   - cache: a cache opened with the same client id.
    ///   - services: the transport, and the clock that the cache was opened with.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` if the cache has another client id.
    public init(
        _ configuration: ClientConfiguration,
        cache: TokenCache,
        services: Services
    ) throws(AcquisitionError) {
        guard configuration.clientID.lowercased() == cache.clientID.lowercased() else {
            throw AcquisitionError(.configurationRejected, detail: "the cache was opened with another client id")
        }
        self.configuration = configuration
        self.cache = cache
        self.services = services
        discovery = Discovery(configuration, services, cache: cache)
        background = BackgroundRenewals(clock: services.clock)
    }

    /// Opens a group's cache, and creates a client with it.
    ///
    /// - Parameters:
    ///   - configuration: the application's registration.
    ///   - group: the name of the group.
    ///   - root: the folder that contains the group folders; nil for the user's own.
    ///   - storage: how the group is stored.
    ///   - options: the cache's options. The clock of `services` replaces theirs.
    ///   - services: the transport and the clock.
    /// - Returns: the client.
    /// - Throws: ``AcquisitionError/Code/requestRejected`` for a blank client id, otherwise
    ///   ``AcquisitionError/Code/cacheFailed``.
    public static func open(
        _ configuration: ClientConfiguration,
        group: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        options: TokenCacheOptions = TokenCacheOptions(),
        services: Services
    ) async throws(AcquisitionError) -> PublicClient {
        var options = options
        options.clock = services.clock
        let cache = try await usingCache(
            try await TokenCache.open(
                group: group,
                clientID: configuration.clientID,
                root: root,
                storage: storage,
                options: options
            )
        )
        return try PublicClient(configuration, cache: cache, services: services)
    }

    /// Ends renewals and migrations, including those in the background, and waits until the responses to refresh tokens
    /// that were already sent are saved: at most half a minute, if a server does not respond. Requests that have sent
    /// nothing fail with ``AcquisitionError/Code/cancelled``. The cache stays open and readable, but tokens are no
    /// longer renewed in the background.
    ///
    /// If nothing else uses ``cache``, close it afterwards, even if ``open(_:group:root:storage:options:services:)``
    /// opened it: until then its keys stay in memory and its files stay open.
    public func close() async {
        await background.close()
    }

    /// Finds the endpoints of an authority, for one call.
    func endpoint(
        _ authority: Authority,
        naming needed: OptionalEndpoint? = nil,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws(AcquisitionError) -> TokenEndpoint {
        let finding = try await discovery.finding(for: authority, naming: needed, timeout: try deadline.timeLeft())
        return TokenEndpoint(
            configuration: configuration,
            services: services,
            discovery: discovery,
            authority: authority,
            metadata: finding.metadata,
            aliases: finding.aliases,
            correlationID: correlationID,
            deadline: deadline
        )
    }
}

extension PublicClient: CustomStringConvertible, CustomReflectable {
    /// The authority.
    public var description: String { "PublicClient(\(configuration.authority))" }

    /// No children, so that accounts and parameters do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
